/**
 * Reads into files on disks that become full, each a page larger than the one before, in every
 * format, to stdout and with `--out`. An output that is cut must be exit 1, and `--out` must leave
 * no file. Linux, as root. node tools/simulate/full-output.mjs
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claim, endSimulation, startSandbox } from '../harness/processes.mjs'
import { bin, commandLine, ownFolder, refuse } from '../harness/tool.mjs'

commandLine()
if (process.geteuid?.() !== 0) refuse('only root can make a small disk')
const folder = ownFolder('full')
const disk = join(folder, 'disk')
mkdirSync(disk)
const sandbox = await startSandbox(500)
const read = 'contacts list --limit all'
const commands = ['table', 'json', 'ndjson', 'csv', 'xlsx', 'ids']
  .map((format) => `${read} -o ${format}`)
  .concat('--help', 'help bulk', '--version')
const files = ['txt', 'json', 'ndjson', 'csv', 'xlsx'].map((extension) => `out.${extension}`)
let count = 0

/** Runs a shell line in which `svc` is the built program. Returns its exit code. */
function shell(line) {
  const script = `svc() { "${process.execPath}" "${bin}" "$@"; }\n(${line}) 2> ${folder}/stderr\necho $?`
  const env = { ...sandbox.env, PATH: process.env.PATH, HOME: folder, TZ: 'UTC' }
  return Number(execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }))
}

/** Acts on a disk with this much space. */
function onDisk(bytes, act) {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${Math.max(bytes, 1)}`, 'tmpfs', disk])
  try {
    // A disk of 0 bytes would have no limit.
    if (bytes === 0) execFileSync('sh', ['-c', `head -c 4096 /dev/zero > ${disk}/taken`])
    count += 1
    act()
  } finally {
    execFileSync('umount', [disk])
  }
}

for (const command of commands) {
  shell(`svc ${command} > ${folder}/whole`)
  const { size } = statSync(`${folder}/whole`)
  for (let bytes = 0; bytes < size; bytes += 4096)
    onDisk(bytes, () => {
      const code = shell(`svc ${command} > ${disk}/cut`)
      const isTold = /could not be written: no space/.test(readFileSync(`${folder}/stderr`))
      claim(code === 1 && isTold, `svc ${command}, ${bytes} bytes: exit ${code}`)
    })
}
for (const file of files) {
  shell(`svc ${read} --out ${folder}/${file}`)
  const { size } = statSync(join(folder, file))
  for (let bytes = 0; bytes < size; bytes += 4096)
    onDisk(bytes, () => {
      const code = shell(`svc ${read} --out ${disk}/${file}`)
      const left = readdirSync(disk).filter((name) => name !== 'taken')
      claim(code === 1 && left.length === 0, `--out ${file}, ${bytes}: exit ${code}, ${left}`)
    })
}
await endSimulation(sandbox, `${count} disks`)
