"""Files of ratings: in the formats of other tools, and of pages without a server."""
