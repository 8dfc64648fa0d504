/** A thousand recorded runs, read back. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  bin,
  folder,
  idsFile,
  interleave,
  measured,
  median,
  report,
  serve,
  time,
} from './measure.mjs'

const many = 1000
const rounds = 11
const mostMs = 100
const stateIn = (count) => join(folder, `runs-${count}`)
const runsIn = (count) => join(stateIn(count), 'runs')

/** The extra cost of a thousand finished runs: to list them, to find the newest, and for a command whose ids may be open in one. */
export async function runs() {
  // A service that knows no contact.
  const { env } = await serve(0, 1, 1, ['missing'])
  const removal = ['contacts', 'delete', '--yes', '--file', idsFile(100)]
  // Makes the one run. No contact is found, so it ends with 3.
  measured(removal, { env: { ...env, SVC_STATE_DIR: stateIn(1) }, codes: [3] })
  const [first] = readdirSync(runsIn(1))
  const part = readFileSync(join(runsIn(1), first, '1.ndjson'), 'utf8')
  for (let n = 1; n <= many; n += 1) {
    const name = first.replace(/....$/, n.toString(16).padStart(4, '0'))
    mkdirSync(join(runsIn(many), name), { recursive: true, mode: 0o700 })
    writeFileSync(join(runsIn(many), name, '1.ndjson'), renamed(part, name))
  }
  compare(env, ['runs', 'list', '--json'])
  compare(env, ['runs', 'export'])
  compare(env, [...removal, '--dry-run'])
}

/** The part as that of the run of this name: its head says the name, and its checksums are made anew, as `src/runs/lines.ts` makes them. */
function renamed(part, run) {
  let checksum = 0
  let text = ''
  for (const line of part.trimEnd().split('\n')) {
    const members = JSON.parse(line)
    delete members.c
    const body = JSON.stringify(members.t === 'run' ? { ...members, run } : members).slice(0, -1)
    checksum = crc32(body, checksum)
    text += `${body},"c":"${checksum.toString(16).padStart(8, '0')}"}\n`
  }
  return text
}

function compare(env, words) {
  const timeWith = (count) => () => time([bin, ...words], { ...env, SVC_STATE_DIR: stateIn(count) })
  const times = interleave({ one: timeWith(1), thousand: timeWith(many) }, rounds)
  const more = median(times.thousand) - median(times.one)
  const detail = `${median(times.thousand).toFixed(0)} and ${median(times.one).toFixed(0)} ms`
  report(
    `svc ${words.slice(0, 2).join(' ')}: ms more with 1,000 runs than with one`,
    more,
    `≤ ${mostMs}`,
    detail,
  )
}
