# bnlearn's conditional Gaussian networks on the cases of "heldout numbers":
#
#   Rscript benchmarks/heldout/conditional_gaussian.R FOLDER
#
# Beside each NAME.train.csv and NAME.test.csv stands NAME.types, a line of c (number) and d (label) for the columns, and
# perhaps NAME.arcs, the graph to fit; without it hill climbing by the BIC finds one. Written are NAME.graph.csv, the
# arcs, and NAME.bnlearn.csv, the log-likelihood of each row of the test file.
suppressMessages(library(bnlearn))

folder <- commandArgs(trailingOnly = TRUE)[1]
for (path in sort(list.files(folder, pattern = "[.]train[.]csv$", full.names = TRUE))) {
  name <- sub("[.]train[.]csv$", "", path)
  output <- paste0(name, ".bnlearn.csv")
  if (file.exists(output)) next
  types <- strsplit(readLines(paste0(name, ".types"))[1], "")[[1]]
  train <- read.csv(path, check.names = FALSE, stringsAsFactors = FALSE)
  test <- read.csv(paste0(name, ".test.csv"), check.names = FALSE, stringsAsFactors = FALSE)
  for (j in which(types == "d")) {
    seen <- sort(unique(as.character(train[[j]])))
    train[[j]] <- factor(train[[j]], levels = seen)
    test[[j]] <- factor(test[[j]], levels = seen)
  }
  graph <- paste0(name, ".arcs")
  if (file.exists(graph)) {
    learned <- empty.graph(names(train))
    given <- as.matrix(read.csv(graph, header = FALSE, colClasses = "character"))
    dimnames(given) <- list(NULL, c("from", "to"))
    arcs(learned) <- given
  } else {
    learned <- hc(train, score = if (any(types == "d")) "bic-cg" else "bic-g")
  }
  rows <- logLik(bn.fit(learned, train), test, by.sample = TRUE)
  write.csv(arcs(learned), paste0(name, ".graph.csv"), row.names = FALSE, quote = FALSE)
  write.csv(data.frame(log_likelihood = rows), output, row.names = FALSE)
}
