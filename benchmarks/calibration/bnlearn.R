# P-values of bnlearn's chi-square and G tests on the calibration tables; see peers.py beside this file.
#
#   Rscript benchmarks/calibration/bnlearn.R tables bnlearn.csv
suppressMessages(library(bnlearn))

time_limit <- 3
min_finished <- 60
max_cells <- 2e7 # bnlearn counts in a dense array over all levels; larger ones are not tried
methods <- c(x2 = "bnlearn x2", "x2-adf" = "bnlearn x2-adf", mi = "bnlearn mi")
columns <- c("n_rows", "n_levels", "n_given", "kind", "repetition", "method", "p_value")

as_factor <- function(codes) structure(codes + 1L, levels = as.character(0:max(codes)), class = "factor")

p_value <- function(frame, method) {
  levels <- sapply(frame, nlevels)
  if (prod(levels) > max_cells || any(levels < 2)) return(NA)
  names <- colnames(frame)
  n <- length(names)
  given <- names[seq_len(n - 2)]
  test <- try(if (length(given)) {
    ci.test(names[n - 1], names[n], given, data = frame, test = method)
  } else {
    ci.test(names[n - 1], names[n], data = frame, test = method)
  }, silent = TRUE)
  if (inherits(test, "try-error")) NA else test$p.value
}

arguments <- commandArgs(trailingOnly = TRUE)
done <- character() # cell, kind and method of what an earlier run has written
if (file.exists(arguments[2])) {
  written <- read.csv(arguments[2])
  done <- unique(do.call(paste, written[columns[c(1:4, 6)]]))
} else {
  writeLines(paste(columns, collapse = ","), arguments[2])
}
output <- file(arguments[2], "a")
pattern <- "n([0-9]+)_levels([0-9]+)_given([0-9]+)_(null|effect).u8"
for (path in list.files(arguments[1], pattern = pattern, full.names = TRUE)) {
  key <- regmatches(basename(path), regexec(pattern, basename(path)))[[1]][2:5]
  wanted <- names(methods)[!paste(paste(key, collapse = " "), methods) %in% done]
  if (!length(wanted)) next
  n_rows <- as.integer(key[1])
  n_variables <- as.integer(key[3]) + 2L
  bytes <- as.integer(readBin(path, "raw", file.size(path)))
  stack <- array(bytes, c(n_rows, n_variables, length(bytes) / n_rows / n_variables))
  frames <- lapply(seq_len(dim(stack)[3]), function(repetition) {
    frame <- as.data.frame(lapply(seq_len(n_variables), function(v) as_factor(stack[, v, repetition])))
    colnames(frame) <- paste0("v", seq_len(n_variables))
    frame
  })
  for (method in wanted) {
    start <- proc.time()[1]
    lines <- character()
    for (repetition in seq_along(frames)) {
      p <- p_value(frames[[repetition]], method)
      shown <- if (is.na(p)) "" else signif(p, 6)
      lines <- c(lines, paste(c(key, repetition - 1, methods[[method]], shown), collapse = ","))
      if (proc.time()[1] - start > time_limit) break
    }
    if (length(lines) >= min(min_finished, length(frames))) {
      writeLines(lines, output)
      flush(output)
    }
  }
}
close(output)
