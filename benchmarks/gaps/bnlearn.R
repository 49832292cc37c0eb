# Structural EM of bnlearn on one table with missing cells.
#
# Rscript bnlearn.R DATA.csv ARROWS.csv [IMPUTE]: reads labels (empty cells are missing), writes the arrows of the
# network found and prints the seconds it took.
suppressMessages(library(bnlearn))
arguments <- commandArgs(trailingOnly = TRUE)
impute <- if (length(arguments) > 2) arguments[3] else "bayes-lw"
data <- read.csv(arguments[1], colClasses = "factor", na.strings = "", check.names = FALSE)
set.seed(1)
seconds <- system.time(
  found <- structural.em(data, maximize = "hc", maximize.args = list(score = "bde", iss = 1),
                         fit = "bayes", fit.args = list(iss = 1), impute = impute)
)[["elapsed"]]
write.csv(arcs(found), arguments[2], row.names = FALSE)
cat(seconds, "\n")
