"""The diffusion model."""
