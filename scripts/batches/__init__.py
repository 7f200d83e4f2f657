"""How a batch is run: its trials side by side, interrupted, resumed, and never lost.

standing says what became of each planned trial; closing finishes one that nobody finished; restaging puts a
batch's own tools back; running starts trials as processes and waits for them; room looks whether the machine
can take one more; node and ray_engine do both on the machines of a cluster; breaker stops what fails the same
way again and again; screen shows it; asking notices that we are to stop. None of it knows a client, rung,
grader or setup.
"""
