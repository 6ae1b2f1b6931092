"""Programs that are killed, stopped and interrupted at any moment, and given again."""
