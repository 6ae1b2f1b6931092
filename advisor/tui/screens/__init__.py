"""The screens that the app opens on request: a file each, or a folder where one has parts."""
