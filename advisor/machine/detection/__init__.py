"""Detection of processor, memory, disks and limits of this computer."""
