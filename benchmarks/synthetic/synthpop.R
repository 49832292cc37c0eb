# Rows in, synthetic rows by synthpop's CART out; the arguments are four files:
# rows as CSV, the kind of each column (one per line), seed, output. Columns of several categories
# predict no others, those of many are drawn by themselves.
suppressMessages(library(synthpop))
given <- commandArgs(trailingOnly = TRUE)
kinds <- readLines(given[2])
rows <- read.csv(given[1], na.strings = "",
                 colClasses = ifelse(kinds == "number", "numeric", "character"))
many <- kinds == "many"
start <- proc.time()
for (i in which(kinds != "number")) rows[[i]] <- factor(rows[[i]])
predictors <- matrix(as.integer(lower.tri(diag(ncol(rows)))), ncol(rows))
predictors[many, ] <- 0L
predictors[, many | kinds == "several"] <- 0L
made <- syn(rows, method = ifelse(many, "sample", "cart"), predictor.matrix = predictors,
            maxfaclevels = nrow(rows), seed = as.integer(given[3]), print.flag = FALSE)
spent <- sum((proc.time() - start)[1:2])
write.csv(made$syn, given[4], na = "", row.names = FALSE)
cat(spent, as.character(packageVersion("synthpop")), "\n")
