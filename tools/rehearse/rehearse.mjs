/**
 * `svc sandbox rehearse` finds the mistake in each of thirty scripts, with the request and the fault named, and none in right ones,
 * the recipes of README and docs among them.
 *   node tools/rehearse/rehearse.mjs [--scripts 8] [--only nightly]    so many of each, those with only the fault that is to show them;
 *                                                                      only those with this in their names
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stockOf } from '../harness/episode.mjs'
import { linesOf, startSandbox, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, root } from '../harness/tool.mjs'
import { planted, right } from './scripts.mjs'

const { scripts: most, only } = commandLine({ scripts: 1000, only: [] })
const folder = ownFolder('rehearse')

/** The ids that the scripts name, and the files that lie beside each. */
async function materials() {
  const sandbox = await startSandbox([])
  try {
    const [{ free, tickets, employees }, lists] = [await stockOf(sandbox), await sandbox.read('state?kind=lists')]
    const idOf = (wanted) => lists.find(({ name }) => name === wanted).id
    const others = employees.filter((id) => id !== tickets[0].assigneeId)
    const members = lists.find(({ name }) => name === 'Campaign 297').memberIds
    const lines = (ids) => ids.map((id) => `${id}\n`).join('')
    const [LIST, VIP, KEEP] = ['Campaign 298', 'VIP', 'Campaign 297'].map(idOf)
    return {
      ids: { LIST, VIP, KEEP, A: free[0], B: free[1], TICKET: tickets[0].id, EMPLOYEE: others[0] },
      files: {
        'old.txt': lines(free.slice(0, 120)),
        'few.txt': lines(free.slice(200, 203)),
        'kept.txt': lines([...free.slice(300, 303), ...members]),
        'ids.txt': lines(free.slice(0, 220)),
        'pairs.csv': `source,target\n${free[0]},${free[1]}\n${free[2]},${free[3]}\n`,
        'tickets.txt': lines(tickets.slice(1, 3).map(({ id }) => id)),
        'employees.txt': lines(others),
      },
    }
  } finally {
    await sandbox.stop()
  }
}

const { ids, files } = await materials()
const filled = (text) => text.replaceAll(/\$([A-Z]+)\b/g, (word, name) => ids[name] ?? word)

/** The scripts of README and docs that are made to be repeated. A list must not be created by two at once; the page says so. */
function recipes() {
  const page = (path) => readFileSync(join(root, path), 'utf8')
  const under = (heading) => page('README.md').split(`### ${heading}\n`)[1].split('```sh\n')[1].split('```')[0]
  const file = (path, name) => page(path).split(`\`\`\`bash ${name}\n`)[1].split('```')[0]
  return {
    'README: a nightly job': under('Run a nightly job once, however often it is started'),
    'docs/scripting.md: nightly.sh': file('docs/scripting.md', 'nightly.sh'),
    'docs/shards.md: shard.sh': `set -- 1 2\n${file('docs/shards.md', 'shard.sh')}`,
  }
}

let number = 0
/** Every rehearsal of a script, as rows. */
async function rehearse(script, words = []) {
  number += 1
  const cwd = join(folder, String(number))
  mkdirSync(cwd)
  for (const [name, text] of Object.entries({ ...files, 'run.sh': `${filled(script)}\n` }))
    writeFileSync(join(cwd, name), text)
  const all = ['sandbox', 'rehearse', '--yes', '-o', 'ndjson', ...words, '--', 'bash', 'run.sh']
  const { code, stdout, stderr } = await svc(all, { HOME: cwd }, { cwd })
  const rows = linesOf(stdout)
  const isSame = code === (rows.some(({ result }) => result === 'wrong') ? 3 : 0)
  return { rows, trouble: rows.length > 0 && isSame ? '' : `exit ${code}: ${stderr}` }
}

let [found, silent, missed] = [0, 0, 0]
const chosen = (scripts) =>
  Object.entries(scripts)
    .filter(([name]) => only.length === 0 || only.some((part) => name.includes(part)))
    .slice(0, most)
for (const [name, [script, [fault, request = '', problem]]] of chosen(planted)) {
  const { rows, trouble } = await rehearse(script, most < 1000 ? ['--only', fault] : [])
  const row = rows
    .filter(({ result }) => result === 'wrong')
    .filter((each) => each.fault === fault && (each.request ?? '').startsWith(filled(request)))
    .find(({ problems }) => problems.join('\n').includes(problem))
  if (row !== undefined && trouble === '') found += 1
  else missed += 1
  if (row === undefined) console.log(`NOT FOUND: ${name} ${trouble}`, rows)
  else console.log(`${name}: ${fault}, ${row.request}: ${row.problems.join('; ')}`)
}
for (const [name, script] of chosen({ ...recipes(), ...right })) {
  const isCreating = script.includes('lists create')
  const { rows, trouble } = await rehearse(script, isCreating ? ['--only', 'refused,lost,throttled,killed'] : [])
  const wrong = rows.filter(({ result }) => result === 'wrong')
  if (wrong.length === 0 && trouble === '') silent += 1
  else missed += 1
  if (wrong.length > 0) console.log(`ALARM: ${name}`, wrong)
  else console.log(`${name}: ${rows.length} rehearsals, no alarm ${trouble}`)
}
console.log(`${found} planted bugs found, ${silent} right scripts without an alarm, ${missed} not so`)
process.exitCode = missed === 0 ? 0 : 1
