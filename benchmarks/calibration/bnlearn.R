# P-values of bnlearn's chi-square tests on the calibration tables; see peers.py beside this file.
#
#   Rscript benchmarks/calibration/bnlearn.R tables bnlearn.csv
library(bnlearn)

time_limit <- 6
min_finished <- 60
max_cells <- 2e7 # bnlearn counts in a dense array over all levels
methods <- c(x2 = "bnlearn x2", "x2-adf" = "bnlearn x2-adf")

arguments <- commandArgs(trailingOnly = TRUE)
output <- file(arguments[2], "w")
writeLines("n_rows,n_levels,n_given,kind,repetition,method,p_value", output)
pattern <- "n([0-9]+)_levels([0-9]+)_given([0-9]+)_(null|effect).u8"
for (path in list.files(arguments[1], pattern = pattern, full.names = TRUE)) {
  parts <- regmatches(basename(path), regexec(pattern, basename(path)))[[1]]
  n_rows <- as.integer(parts[2])
  n_variables <- as.integer(parts[4]) + 2L
  bytes <- as.integer(readBin(path, "raw", file.size(path)))
  stack <- array(bytes, c(n_rows, n_variables, length(bytes) / n_rows / n_variables))
  names <- paste0("v", seq_len(n_variables))
  for (method in names(methods)) {
    start <- proc.time()[1]
    lines <- character()
    for (repetition in seq_len(dim(stack)[3])) {
      frame <- as.data.frame(lapply(seq_len(n_variables), function(v) factor(stack[, v, repetition])))
      colnames(frame) <- names
      p <- NA
      levels <- sapply(frame, nlevels)
      if (prod(levels) <= max_cells && all(levels > 1)) {
        given <- names[seq_len(n_variables - 2)]
        test <- try(if (length(given)) {
          ci.test(names[n_variables - 1], names[n_variables], given, data = frame, test = method)
        } else {
          ci.test(names[n_variables - 1], names[n_variables], data = frame, test = method)
        }, silent = TRUE)
        if (!inherits(test, "try-error")) p <- test$p.value
      }
      lines <- c(lines, paste(parts[2], parts[3], parts[4], parts[5], repetition - 1, methods[[method]],
                              if (is.na(p)) "" else signif(p, 6), sep = ","))
      if (proc.time()[1] - start > time_limit) break
    }
    if (length(lines) >= min(min_finished, dim(stack)[3])) writeLines(lines, output)
  }
}
close(output)
