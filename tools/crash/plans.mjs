/**
 * Applying approved plans, killed before each of its writes and then repeated, and started twice together: each plan is applied
 * exactly once, and given again sends nothing. Needs OpenSSH's ssh-keygen, or another program in its place.
 *   node tools/crash/plans.mjs [--every 3] [--pairs 200] [--keygen path/to/ssh-keygen] [--program path/to/svc.mjs]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stockOf } from '../harness/episode.mjs'
import { killedBefore, startSandbox, svc } from '../harness/processes.mjs'
import { bin, commandLine, ownFolder } from '../harness/tool.mjs'

const { every, pairs, keygen, program } = commandLine({
  every: 1,
  pairs: 200,
  keygen: '/usr/bin/ssh-keygen',
  program: bin,
})
const folder = ownFolder('plans')
const at = (name) => join(folder, name)
const sign = (words, input) => execFileSync(keygen, words, { input, stdio: 'pipe' })
const sandbox = await startSandbox(['--contacts', '6000'])
const { free } = await stockOf(sandbox)
const signers = ['ana', 'ben'].map((name) => {
  sign(['-t', 'ed25519', '-N', '', '-f', at(name), '-C', name])
  return `${name}@example.com ${readFileSync(at(`${name}.pub`), 'utf8').replace(/ \S+\n$/, '\n')}`
})
writeFileSync(at('signers'), signers.join(''), { mode: 0o600 })
const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = sandbox.env
const policy = { approvals: { 'contacts.delete': 1 }, signers: at('signers') }
const config = { current: 'p', profiles: { p: { baseUrl, apiKey, apiSecret, policy } } }
writeFileSync(at('config.json'), JSON.stringify(config), { mode: 0o600 })

let number = 0

/** A plan of six contacts in two requests that ana signed and ben approved, and how it is applied in a state folder of its own. */
async function approved() {
  number += 1
  const ids = free.splice(0, 6)
  const [plan, stateDir] = [at(`${number}.plan`), at(`state-${number}`)]
  mkdirSync(stateDir, { mode: 0o700 })
  const path = `${dirname(keygen)}:${process.env.PATH}`
  const env = { PATH: path, HOME: folder, SVC_CONFIG: at('config.json'), SVC_STATE_DIR: stateDir }
  const words = ['contacts', 'delete', ...ids, 'batches-of=3', '--plan', plan, '--key', at('ana'), '-q']
  const { code, stderr } = await svc(words, env, { program })
  if (code !== 0) throw new Error(stderr)
  const signature = sign(['-Y', 'sign', '-f', at('ben'), '-n', 'svc-plan'], readFileSync(plan))
  writeFileSync(`${plan}.0123456789abcdef.sig`, signature)
  const since = await sandbox.lastRequest()
  const apply = (more) => svc(['plans', 'apply', plan, '--yes', '--json', '-q'], { ...env, ...more }, { program })
  return { ids, apply, since }
}

/** Repeats the command as a scheduler would; why what came of it is wrong, undefined when it is right. */
async function problemOf({ ids, apply, since }) {
  let last = await apply()
  for (let tries = 1; tries < 6 && last.code !== 0 && last.code !== 3; tries += 1) last = await apply()
  if (last.code !== 0) return `it does not come to its end: exit ${last.code} ${last.stderr}`
  const { result } = JSON.parse(last.stdout)
  if (result.deleted + result.gone !== ids.length) return `it claims ${JSON.stringify(result)}`
  const deleted = (await sandbox.recordSince(since)).flatMap((entry) => entry.deleted ?? [])
  if (deleted.toSorted().join() !== ids.toSorted().join().toLowerCase()) return `deleted was ${deleted}`
  const before = await sandbox.lastRequest()
  const again = await apply()
  return again.code === 0 && (await sandbox.lastRequest()) === before ? undefined : 'it was sent again'
}

let [kills, wrong, refused] = [0, 0, 0]
async function judge(what, plan) {
  const problem = await problemOf(plan)
  if (problem === undefined) return
  wrong += 1
  console.log(`${what}: false: ${problem.trim()}`)
}
try {
  for (let write = 1; ; write += every) {
    const plan = await approved()
    const { signal } = await plan.apply(killedBefore(write))
    await judge(`killed before write ${write}`, plan)
    if (signal === null) break
    kills += 1
  }
  for (let pair = 0; pair < pairs; pair += 1) {
    const plan = await approved()
    const ends = await Promise.all([plan.apply(), plan.apply()])
    if (ends.some(({ code }) => code === 11)) refused += 1
    await judge(`pair ${pair + 1}`, plan)
  }
} finally {
  await sandbox.stop()
}
console.log(`${kills} kills and ${pairs} pairs (${refused} with one refused), ${wrong} plans not applied exactly once`)
process.exitCode = wrong === 0 && kills * every > 20 ? 0 : 1
