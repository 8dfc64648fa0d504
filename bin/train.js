/**
 * Writes the code cache of every piece of a build: `node train.js <folder>`. V8 caches the functions that have run by
 * then, so common commands are run first, in this process, against the sandbox.
 */
const { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { basename, join } = require('node:path')
const { Writable } = require('node:stream')
const { Script } = require('node:vm')
const { filesOf, loader } = require('./svc.js')

const dist = process.argv[2]
const home = mkdtempSync(join(tmpdir(), 'svc-build-'))
const scripts = new Map()
const load = loader(filesOf(dist), { onOpen: (piece, script) => scripts.set(piece, script) })
const { main } = load('./start/main')
const real = load('./start/host').nodeHost(process)

/** Runs a command; `onText` sees what it prints, `onSignal` gets the function that sends it a signal. */
async function svc(words, env = {}, { onText = () => {}, onSignal = () => {}, expected = 0, columns } = {}) {
  const sink = (see) =>
    new Writable({
      write(chunk, _encoding, done) {
        see(String(chunk))
        done()
      },
    })
  const stdout = sink(onText)
  let complaint = ''
  const stderr = sink((text) => (complaint += text))
  const code = await main({
    ...real,
    writeAtOnce: undefined,
    argv: words,
    env: { HOME: home, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home, ...env },
    // A flag of V8 that is set while a program runs is part of the cache's name: none is set for this version.
    nodeVersion: '0',
    stdout,
    stderr,
    isTerminal: { stdin: false, stdout: columns !== undefined, stderr: false },
    columns: () => columns,
    onSignal: (callback) => {
      onSignal(() => callback('SIGTERM'))
      return () => {}
    },
    raise: () => {},
  })
  if (code !== expected) throw new Error(`svc ${words.join(' ')}: exit code ${code}: ${complaint}`)
}

async function train() {
  let stop
  let ended = Promise.resolve()
  const { baseUrl, keys, examples } = await new Promise((resolve, reject) => {
    ended = svc(
      ['sandbox', 'start', '--port', '0', '--json'],
      {},
      {
        onText: (text) => resolve(JSON.parse(text)),
        onSignal: (signal) => (stop = signal),
        expected: 143,
      },
    )
    ended.catch(reject)
  })
  try {
    const [{ apiKey, apiSecret }] = keys
    const env = { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
    await svc(['--version'])
    await svc(['lists', 'list', '--help'])
    await svc(['__complete', '--', 'lists', ''])
    await svc(['lists', 'list', '--nope'], {}, { expected: 2 })
    await svc(['lists', 'list', '--json'], env)
    await svc(['lists', 'list'], env, { columns: 80 })
    await svc(['tickets', 'history', examples.tickets.active, '-o', 'ndjson'], env)
    await svc(['contacts', 'delete', examples.contactsWithoutChats[0], '--yes'], env)
  } finally {
    stop()
    await ended
  }
}

async function write() {
  await train()
  for (const file of readdirSync(dist)) {
    if (!file.endsWith('.js')) continue
    const piece = basename(file, '.js')
    const script = scripts.get(piece) ?? new Script(readFileSync(join(dist, file), 'utf8'), { filename: `svc/${file}` })
    writeFileSync(join(dist, `${piece}.cache`), script.createCachedData())
  }
}

write()
  .finally(() => rmSync(home, { recursive: true, force: true }))
  .catch((error) => {
    process.exitCode = 1
    console.error(error)
  })
