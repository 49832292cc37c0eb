# Graphs that bnlearn learns from the tables of "compare.py draw WORK":
#
#   Rscript benchmarks/heldout/bnlearn_graphs.R WORK
library(bnlearn)

folder <- commandArgs(trailingOnly = TRUE)[1]
methods <- list(
  bnlearn_hc_bic = function(frame) hc(frame, score = "bic"),
  bnlearn_tabu_bic = function(frame) tabu(frame, score = "bic"),
  bnlearn_hc_bde = function(frame) hc(frame, score = "bde", iss = 1)
)
for (path in sort(list.files(folder, pattern = "^[a-z0-9]+[.][0-9]+[.]csv$", full.names = TRUE))) {
  frame <- as.data.frame(lapply(read.csv(path), factor))
  for (name in names(methods)) {
    output <- sub("csv$", paste0(name, ".edges.csv"), path)
    if (file.exists(output)) next
    write.csv(arcs(methods[[name]](frame)), output, row.names = FALSE, quote = FALSE)
    cat(basename(output), "\n")
  }
}
