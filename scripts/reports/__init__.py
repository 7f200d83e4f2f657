"""What a batch is shown as beside the terminal's table: the page (report.html), JUnit, flat rows.

Each module is a function of a batch's documents: same record, same bytes. None of them counts or decides
anything, and none trusts what a record holds. A picture
that misleads on right documents is this room's fault.
"""
