/** Preloaded into the built svc: a request takes `BATCHES_OF` ids, and not 100. */
const fs = require('node:fs')

const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  const content = readFileSync(path, ...rest)
  if (typeof content !== 'string' || !/[\\/]dist[\\/][\w-]+\.js$/.test(path)) return content
  // A line of the build may end anywhere between two signs.
  return content.replaceAll(/(?<=\bidsPerRequest:\s*)100\b/g, Number(process.env.BATCHES_OF))
}
