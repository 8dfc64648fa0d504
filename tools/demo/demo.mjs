/**
 * A tour of svc in one command: `npm run demo`. It starts the sandbox on a free port and runs the commands that a person
 * would type, with their real output. Nothing outside a temporary folder is read or written, and no other machine is asked.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../harness/processes.mjs'
import { bin as program, commandLine, ownFolder } from '../harness/tool.mjs'

commandLine()
const coloured =
  process.stdout.isTTY && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb'

const paint = (code, text) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text)

/** Resolves when the text is out, so that it stands before what a command prints. */
const say = (text) => new Promise((resolve) => process.stdout.write(`${text}\n`, resolve))
const heading = (text) => say(`\n${paint('36', `# ${text}`)}`)

/** A word as one would type it in a shell. */
const typed = (word) => (/^[\w./:=@,-]+$/.test(word) ? word : `"${word}"`)

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
  if (code !== expected)
    throw new Error(`"svc ${words.join(' ')}" ended with ${code}, not with ${expected}`)
}

/** How many ids each batch had, told by the receipts. */
function batchSizes(file) {
  const [header, ...rows] = readFileSync(file, 'utf8').trim().split('\n')
  const column = header.split(',').indexOf('batch')
  const sizes = []
  for (const row of rows) {
    const batch = Number(row.split(',')[column])
    sizes[batch] = (sizes[batch] ?? 0) + 1
  }
  return sizes.filter(Boolean)
}

async function tour(world) {
  const { folder, about } = world
  const { contactsWithoutChats, contactsWithChats, tickets } = about.examples
  const file = (name, ids) => writeFileSync(join(folder, name), `${ids.join('\n')}\n`)

  await heading('Contact lists, newest first, and who is in one of them')
  await svc(world, ['lists', 'list', '--limit', '5'])
  await svc(world, ['lists', 'members', 'VIP', '--limit', '5'])

  await heading('A new list, and 250 contacts for it from a file of ids')
  file('ids.txt', contactsWithoutChats.slice(0, 250))
  await svc(world, [
    'lists',
    'create',
    '--name',
    'Spring campaign',
    '--description',
    'Everybody with a discount',
  ])
  await svc(world, ['lists', 'add-contacts', 'Spring campaign', '--file', 'ids.txt', '--dry-run'])
  await svc(world, [
    'lists',
    'add-contacts',
    'Spring campaign',
    '--file',
    'ids.txt',
    '--receipts',
    'added.csv',
    '-v',
  ])
  await say(
    paint(
      '2',
      `(ids in each request, from added.csv: ${batchSizes(join(folder, 'added.csv')).join(', ')})`,
    ),
  )

  await heading('A ticket as a conversation')
  await svc(world, ['tickets', 'history', tickets.album, '-o', 'transcript', '--limit', '6'])

  await heading('Who works on it: the assignee changes, and the way back is shown')
  await svc(world, ['tickets', 'assign', tickets.active, '--to', 'Robin Berg'])

  await heading('A bulk delete: first the plan, then the deed with a receipt for every id')
  file('old.txt', [
    ...contactsWithoutChats.slice(0, 120),
    ...contactsWithChats.slice(0, 3),
    'f'.repeat(24),
  ])
  await svc(world, ['contacts', 'delete', '--file', 'old.txt', '--dry-run'])
  await svc(
    world,
    ['contacts', 'delete', '--file', 'old.txt', '--receipts', 'deleted.csv', '--yes'],
    3,
  )
  const receipts = readFileSync(join(folder, 'deleted.csv'), 'utf8').trim().split('\n')
  await say(
    `\nThe receipts of the last five ids, from deleted.csv:\n${[receipts[0], ...receipts.slice(-5)].join('\n')}`,
  )

  await heading('What was done is on record, and a run that was cut off can go on from there')
  await svc(world, ['runs', 'list'])

  await heading(
    'What errors look like: an old ticket on a plan with limited history, and a ruined file',
  )
  await svc(world, ['tickets', 'history', tickets.old], 5, keyOf(about, /limited/))
  file('bad.txt', [contactsWithoutChats[0], contactsWithoutChats[1].slice(1), '5.07E+23'])
  await svc(world, ['contacts', 'delete', '--file', 'bad.txt'], 2)

  await heading('That was it. To try things yourself, in a shell with such a sandbox:')
  await say('\nnpx svc sandbox shell\nsvc lists list\nsvc --help')
}

/** The environment of another of the sandbox's keys. */
function keyOf({ keys }, name) {
  const key = keys.find((candidate) => name.test(candidate.name))
  return { SVC_API_KEY: key.apiKey, SVC_API_SECRET: key.apiSecret }
}

const folder = ownFolder('demo')
const sandbox = await startSandbox([])
// The person's own profiles and settings play no part.
const own = Object.entries(process.env).filter(
  ([name]) => !/^(SVC_|XDG_(CONFIG|STATE)_HOME$)/i.test(name),
)
const [config, state] = ['config', 'state'].map((name) => join(folder, name))
const places = {
  XDG_CONFIG_HOME: config,
  XDG_STATE_HOME: state,
  SVC_CONFIG: `${config}.json`,
  SVC_STATE_DIR: state,
}
writeFileSync(places.SVC_CONFIG, '{}\n', { mode: 0o600 })
try {
  await tour({
    folder,
    about: sandbox,
    env: { ...Object.fromEntries(own), ...places, ...sandbox.env },
  })
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nthe demo stopped: ${error.message}\n`)
} finally {
  await sandbox.stop()
}
