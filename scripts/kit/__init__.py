"""What the steps share. Knows no client, rung, grader, setup or benchmark."""
