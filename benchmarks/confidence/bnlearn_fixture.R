# Edge strengths and thresholds as bnlearn has them, for tests/test_confidence.py:
#
#   Rscript benchmarks/confidence/bnlearn_fixture.R tests/fixtures/confidence
library(bnlearn)

folder <- commandArgs(trailingOnly = TRUE)[1]
set.seed(1)
nodes <- LETTERS[1:7]
graphs <- random.graph(nodes, num = 40, method = "ordered", prob = 0.3)
# Most replicates are variants of the first few, as those of one data set are.
graphs <- c(graphs, graphs[rep(1:3, c(40, 25, 15))])
writeLines(sapply(graphs, modelstring), file.path(folder, "graphs.txt"))
strength <- custom.strength(graphs, nodes, cpdag = TRUE)
write.csv(as.data.frame(strength), file.path(folder, "strength.csv"), row.names = FALSE, quote = FALSE)

thresholds <- t(sapply(1:30, function(i) {
  n <- sample(10:60, 1)
  values <- round(rbeta(n, 0.3, 0.6), 2)
  frame <- data.frame(from = "A", to = "B", strength = values)
  c(bnlearn:::threshold(frame), values, rep(NA, 60 - n))
}))
write.table(thresholds, file.path(folder, "thresholds.csv"), sep = ",", row.names = FALSE,
            col.names = FALSE, na = "")
