// Required before svc: at the end it writes the peak memory in KiB and the processor time in
// milliseconds to the file BENCH_MEMORY names.
const { writeFileSync } = require('node:fs')
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeFileSync(process.env.BENCH_MEMORY, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`)
})
