# One run of bnlearn on columns of numbers and labels; started by peers.py.
#
#   Rscript bnlearn.R DATA.csv KINDS SEARCH SCORE
#
# KINDS has one letter per column: n a number, d a label. SCORE "cut" is the BIC of numbers cut into four bins of equally many
# rows. Prints the version and the seconds of processor, then one arrow to a line, by column number from 0.
suppressMessages(library(bnlearn))

arguments <- commandArgs(trailingOnly = TRUE)
kinds <- strsplit(arguments[2], "")[[1]]
data <- read.csv(arguments[1], colClasses = ifelse(kinds == "n", "numeric", "character"))
for (j in which(kinds == "d")) data[[j]] <- factor(data[[j]])
start <- proc.time()
score <- arguments[4]
if (score == "cut") {
  for (j in which(kinds == "n")) {
    places <- unique(quantile(data[[j]], c(0.25, 0.5, 0.75)))
    data[[j]] <- factor(findInterval(data[[j]], places))
  }
  data <- data[, sapply(data, nlevels) > 1]
  score <- "bic"
}
found <- do.call(arguments[3], list(data, score = score))
taken <- proc.time() - start
cat(as.character(packageVersion("bnlearn")), taken[["user.self"]] + taken[["sys.self"]], "\n")
pairs <- arcs(found)
place <- function(names) match(names, names(read.csv(arguments[1], nrows = 1))) - 1L
cat(sprintf("> %d %d\n", place(pairs[, 1]), place(pairs[, 2])), sep = "")
