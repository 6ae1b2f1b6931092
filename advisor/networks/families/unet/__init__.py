"""The U-Net."""
