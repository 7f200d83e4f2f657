"""What an adversary does to the code of one language, one file each; battery.py makes submissions of it."""
