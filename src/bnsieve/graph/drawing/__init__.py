"""Pictures of graphs: where everything stands, and how it is drawn."""
