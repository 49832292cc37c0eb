# Runs of bnlearn on one table; started by other programs' studies. Reads level numbers (CSV, one column per
# variable). For each learner it prints the version, the seconds of wall clock and processor, the number of tests or
# scores, then one arc to a line, by column number from 0, and an empty line. An undirected edge is printed in both
# directions. Where several learners are asked for, one that fails prints "error" and why.
#
#   Rscript bnlearn.R DATA.csv ALGORITHM "key=value key=value" [ALGORITHM "key=value" ...]
suppressMessages(library(bnlearn))

arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], colClasses = "factor")
learners <- matrix(arguments[-1], nrow = 2)

run <- function(algorithm, text) {
  settings <- list()
  for (part in strsplit(text, " ")[[1]]) {
    pair <- strsplit(part, "=")[[1]]
    number <- suppressWarnings(as.numeric(pair[2]))
    settings[[pair[1]]] <- if (is.na(number)) pair[2] else number
  }
  start <- proc.time()
  found <- do.call(algorithm, c(list(data), settings))
  taken <- proc.time() - start
  cat(as.character(packageVersion("bnlearn")), taken[["elapsed"]], taken[["user.self"]] + taken[["sys.self"]], ntests(found), "\n")
  pairs <- arcs(found)
  cat(sprintf("%d %d\n", match(pairs[, 1], colnames(data)) - 1L, match(pairs[, 2], colnames(data)) - 1L), sep = "")
}

for (i in seq_len(ncol(learners))) {
  if (ncol(learners) == 1) {
    run(learners[1, i], learners[2, i])
  } else {
    tryCatch(run(learners[1, i], learners[2, i]), error = function(e) cat("error", gsub("\n", " ", conditionMessage(e)), "\n"))
  }
  cat("\n")
}
