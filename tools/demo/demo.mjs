/**
 * A tour of svc in one command: `npm run demo`. It starts the sandbox on a free port and runs the commands that a person
 * would type, with their real output. Nothing outside a temporary folder is read or written, and no other machine is asked.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../harness/processes.mjs'
import { bin as program, commandLine } from '../harness/tool.mjs'

commandLine()
const coloured = process.stdout.isTTY && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb'

const paint = (code, text) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text)

/** Resolves when the text is out, so that it stands before what a command prints. */
function say(text) {
  return new Promise((resolve) => {
    process.stdout.write(`${text}\n`, resolve)
  })
}

function heading(text) {
  return say(`\n${paint('36', `# ${text}`)}`)
}

/** A word as one would type it in a shell. */
function typed(word) {
  return /^[\w./:=@,-]+$/.test(word) ? word : `"${word}"`
}

/** The person's own profiles and settings play no part. */
function cleanEnvironment(folder, sandbox) {
  const own = Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_(CONFIG|STATE)_HOME$)/i.test(name))
  return {
    ...Object.fromEntries(own),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    SVC_CONFIG: join(folder, 'config.json'),
    SVC_STATE_DIR: join(folder, 'state'),
    ...sandbox.env,
  }
}

/** Runs one command where the reader can see it. Throws when it ends otherwise than the tour says. */
async function svc(world, words, expected = 0, environment = {}) {
  await say(`\n${paint('1;32', '$')} ${paint('1', `svc ${words.map(typed).join(' ')}`)}`)
  const child = spawn(process.execPath, [program, ...words], {
    cwd: world.folder,
    env: { ...world.env, ...environment },
    // Both on one channel, as on a screen.
    stdio: ['ignore', 1, 1],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) await say(paint('2', `(exit code ${code})`))
  if (code !== expected) throw new Error(`"svc ${words.join(' ')}" ended with ${code}, not with ${expected}`)
}

/** How many ids each batch had, told by the receipts. */
async function batchSizes(file) {
  const [header, ...rows] = (await readFile(file, 'utf8')).trim().split('\n')
  const column = header.split(',').indexOf('batch')
  const sizes = new Map()
  for (const row of rows) {
    const batch = Number(row.split(',')[column])
    sizes.set(batch, (sizes.get(batch) ?? 0) + 1)
  }
  return [...sizes].sort(([a], [b]) => a - b).map(([, size]) => size)
}

async function tour(world) {
  const { folder, about } = world
  const { contactsWithoutChats, contactsWithChats, tickets } = about.examples
  const file = (name, ids) => writeFile(join(folder, name), `${ids.join('\n')}\n`)

  await heading('Contact lists, newest first, and who is in one of them')
  await svc(world, ['lists', 'list', '--limit', '5'])
  await svc(world, ['lists', 'members', 'VIP', '--limit', '5'])

  await heading('A new list, and 250 contacts for it from a file of ids')
  await file('ids.txt', contactsWithoutChats.slice(0, 250))
  await svc(world, ['lists', 'create', '--name', 'Spring campaign', '--description', 'Everybody with a discount'])
  await svc(world, ['lists', 'add-contacts', 'Spring campaign', '--file', 'ids.txt', '--dry-run'])
  await svc(world, ['lists', 'add-contacts', 'Spring campaign', '--file', 'ids.txt', '--receipts', 'added.csv', '-v'])
  await say(
    paint('2', `(ids in each request, from added.csv: ${(await batchSizes(join(folder, 'added.csv'))).join(', ')})`),
  )

  await heading('A ticket as a conversation')
  await svc(world, ['tickets', 'history', tickets.album, '-o', 'transcript', '--limit', '6'])

  await heading('Who works on it: the assignee changes, and the way back is shown')
  await svc(world, ['tickets', 'assign', tickets.active, '--to', 'Robin Berg'])

  await heading('A bulk delete: first the plan, then the deed with a receipt for every id')
  await file('old.txt', [...contactsWithoutChats.slice(0, 120), ...contactsWithChats.slice(0, 3), 'f'.repeat(24)])
  await svc(world, ['contacts', 'delete', '--file', 'old.txt', '--dry-run'])
  await svc(world, ['contacts', 'delete', '--file', 'old.txt', '--receipts', 'deleted.csv', '--yes'], 3)
  const receipts = (await readFile(join(folder, 'deleted.csv'), 'utf8')).trim().split('\n')
  await say(
    `\nThe receipts of the last five ids, from deleted.csv:\n${[receipts[0], ...receipts.slice(-5)].join('\n')}`,
  )

  await heading('What was done is on record, and a run that was cut off can go on from there')
  await svc(world, ['runs', 'list'])

  await heading('What errors look like: an old ticket on a plan with limited history, and a ruined file')
  await svc(world, ['tickets', 'history', tickets.old], 5, keyOf(about, /limited/))
  await file('bad.txt', [contactsWithoutChats[0], contactsWithoutChats[1].slice(1), '5.07E+23'])
  await svc(world, ['contacts', 'delete', '--file', 'bad.txt'], 2)

  await heading('That was it. To try things yourself, in a shell with such a sandbox:')
  await say('\nnpx svc sandbox shell\nsvc lists list\nsvc --help')
}

/** The environment of another of the sandbox's keys. */
function keyOf({ keys }, name) {
  const key = keys.find((candidate) => name.test(candidate.name))
  return { SVC_API_KEY: key.apiKey, SVC_API_SECRET: key.apiSecret }
}

// Ctrl-C ends the command in flight; the tour then ends by itself and cleans up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => undefined)
const folder = await mkdtemp(join(tmpdir(), 'svc-demo-'))
let sandbox
try {
  await writeFile(join(folder, 'config.json'), '{}\n', { mode: 0o600 })
  sandbox = await startSandbox([])
  await tour({ folder, about: sandbox, env: cleanEnvironment(folder, sandbox) })
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nthe demo stopped: ${error.message}\n`)
} finally {
  await sandbox?.stop()
  await rm(folder, { recursive: true, force: true })
}
