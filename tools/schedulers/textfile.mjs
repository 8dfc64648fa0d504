/**
 * The recipe of docs/scripting.md that writes a textfile for Prometheus, run as it stands after jobs that end in each way: it has what the
 * alerts of the page ask for, keeps the last success, and leaves the file as it was when `svc` fails. Needs jq.
 *   node tools/schedulers/textfile.mjs
 */
import { strict as assert } from 'node:assert'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox, start, svc } from '../harness/processes.mjs'
import { bin, commandLine, isThere, ownFolder, refuse, root } from '../harness/tool.mjs'

commandLine()
if (!isThere('jq')) refuse('jq is not installed')
const page = readFileSync(join(root, 'docs/scripting.md'), 'utf8')
const block = (name) => new RegExp(`^\`\`\`\\w+ ${name}\\n([^]*?)^\`\`\`$`, 'm').exec(page)[1]
const folder = ownFolder('textfile')
mkdirSync(join(folder, 'collector'))
writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
const recipe = block('textfile.sh').replaceAll('/var/lib/node_exporter', join(folder, 'collector'))
const file = join(folder, 'collector/campaign-298.prom')

const sandbox = await startSandbox([])
const env = {
  ...sandbox.env,
  HOME: folder,
  SVC_STATE_DIR: join(folder, 'state'),
  PATH: `${folder}:${process.env.PATH}`,
}

/** The metrics after the recipe ran, by name; undefined without a file. */
async function metrics(more = {}) {
  await start('bash', ['-c', recipe], { env: { ...env, ...more } }).ended
  assert.deepEqual(
    readdirSync(join(folder, 'collector')).filter((name) => name !== 'campaign-298.prom'),
    [],
  )
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return Object.fromEntries(lines.map((line) => /^(\w+)\{name="campaign-298"\} (\d+)$/.exec(line).slice(1)))
}

async function job(day, ids) {
  const words = ['contacts', 'delete', '--file', '-', '--yes', '--once', `campaign-298-${day}`]
  return (await svc(words, env, { input: ids.join('\n') })).code
}

try {
  const contacts = await sandbox.read('state?kind=contacts')
  const free = contacts.filter(({ chat }) => !chat).map(({ id }) => id)
  assert.equal(await metrics(), undefined, 'no run, no file')
  assert.equal(await job('1', ['f'.repeat(24)]), 3)
  assert.deepEqual(await metrics(), { svc_last_exit_code: '3' }, 'no success that was none')
  assert.equal(await job('2', free.slice(0, 2)), 0)
  const done = await metrics()
  assert.equal(done.svc_last_exit_code, '0')
  assert.ok(Math.abs(Date.now() / 1000 - Number(done.svc_last_success_seconds)) < 600, 'a success of now')
  for (const [name] of block('alerts.yaml').matchAll(/svc_\w+/g)) assert.ok(name in done, name)
  assert.equal(await job('3', ['f'.repeat(24)]), 3)
  assert.deepEqual(await metrics(), { ...done, svc_last_exit_code: '3' }, 'the last success stays')
  assert.deepEqual(await metrics({ SVC_STATE_DIR: file }), { ...done, svc_last_exit_code: '3' })
} finally {
  await sandbox.stop()
}
console.log('the recipe of docs/scripting.md writes what the alerts ask for')
