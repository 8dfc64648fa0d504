// Required before svc: at the end it writes the peak memory in KiB to the file that BENCH_MEMORY names, and the processor time in
// milliseconds beside it.
const { writeFileSync } = require('node:fs')
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeFileSync(process.env.BENCH_MEMORY, String(maxRSS))
  writeFileSync(`${process.env.BENCH_MEMORY}-cpu`, String((userCPUTime + systemCPUTime) / 1000))
})
