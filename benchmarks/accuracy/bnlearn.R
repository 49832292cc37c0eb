# One run of bnlearn; started by peers.py. Reads level numbers (CSV, one column per variable) and prints
# the seconds of wall clock and processor, the number of tests or scores, then one arc to a line, by
# column number from 0. An undirected edge is printed in both directions.
#
#   Rscript bnlearn.R DATA.csv ALGORITHM "key=value key=value"
suppressMessages(library(bnlearn))

arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], colClasses = "factor")
settings <- list()
for (part in strsplit(arguments[3], " ")[[1]]) {
  pair <- strsplit(part, "=")[[1]]
  number <- suppressWarnings(as.numeric(pair[2]))
  settings[[pair[1]]] <- if (is.na(number)) pair[2] else number
}
start <- proc.time()
found <- do.call(arguments[2], c(list(data), settings))
taken <- proc.time() - start
cat(as.character(packageVersion("bnlearn")), taken[["elapsed"]], taken[["user.self"]] + taken[["sys.self"]], ntests(found), "\n")
pairs <- arcs(found)
cat(sprintf("%d %d\n", match(pairs[, 1], colnames(data)) - 1L, match(pairs[, 2], colnames(data)) - 1L), sep = "")
