"""Parts that families of networks share: layers, these layers on shapes, sizes, losses."""
