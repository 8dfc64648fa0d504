// Required before svc: writes the peak memory in KiB to the file that BENCH_MEMORY names, at the end.
const { writeFileSync } = require('node:fs')
process.on('exit', () => writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)))
