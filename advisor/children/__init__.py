"""Starting, guarding, supervising and ending processes of ours."""
