# Files of networks through bnlearn: run by `bif`, with an R that has bnlearn.
#
#   Rscript bif_worker.R FOLDER
#
# The same contract as bif_worker.py: in each folder of FOLDER, ours.bif and ours.net are read and
# written down as JSON, and what was read is written as theirs.bif and theirs.net.

suppressMessages(library(bnlearn))

text <- function(x) paste0("[", paste(sprintf('"%s"', x), collapse = ", "), "]")

record <- function(node) {
  prob <- node$prob
  # bnlearn's first axis is the variable's own; ours is the last, and the last runs fastest.
  if (length(dim(prob)) > 1) prob <- aperm(prob, c(1, rev(seq_along(dim(prob))[-1])))
  sprintf('{"name": "%s", "states": %s, "parents": %s, "table": [%s]}',
          node$node, text(dimnames(node$prob)[[1]]),
          if (length(node$parents)) text(node$parents) else "[]",
          paste(sprintf("%.17g", as.vector(prob)), collapse = ", "))
}

through <- function(case, format, read, write) {
  at <- function(name) file.path(case, name)
  network <- tryCatch({
    start <- proc.time()[["elapsed"]]
    network <- read(at(paste0("ours.", format)))
    writeLines(sprintf("%.1f", proc.time()[["elapsed"]] - start),
               at(paste0(format, ".seconds")))
    writeLines(paste0("[", paste(sapply(network, record), collapse = ",\n"), "]"),
               at(paste0(format, ".read.json")))
    network
  }, error = function(error) {
    writeLines(substr(conditionMessage(error), 1, 160), at(paste0(format, ".read.error")))
    NULL
  })
  tryCatch({
    if (is.null(network)) stop("nothing was read that could be written")
    write(at(paste0("theirs.", format)), network)
  }, error = function(error)
    writeLines(substr(conditionMessage(error), 1, 160), at(paste0(format, ".write.error"))))
}

folder <- commandArgs(trailingOnly = TRUE)[1]
writeLines(as.character(packageVersion("bnlearn")), file.path(folder, "version"))
for (case in sort(list.dirs(folder, recursive = FALSE))) {
  through(case, "bif", read.bif, write.bif)
  through(case, "net", read.net, write.net)
}
