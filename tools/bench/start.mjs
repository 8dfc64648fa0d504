/**
 * Measures how long the installed program takes to start, against an empty Node program and a minimal program with one request. They
 * run in turn. The least time of 60 counts, because other work on the machine can only make a run slower.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { folder, here, interleave, report, root, serve, time } from './measure.mjs'

const lists = ['lists', 'list', '--limit', '20']
const removal = ['contacts', 'delete', '000000000000000000000001', '--yes', '--json']
/** Command lines of svc. They use the profile `plain` (http) unless they name another. */
const cases = {
  '--version': { words: ['--version'] },
  '--help': { words: ['--help'] },
  "a command's help": { words: ['lists', 'list', '--help'] },
  'a usage error': { words: ['lists', 'list', '--nope'], codes: [2] },
  'one request': { words: [...lists, '--json'] },
  'one request over https': { words: [...lists, '--json'], profile: 'secure' },
  'a table': { words: lists },
  'a delete': { words: removal },
}

/** A case, what it is compared with, and the most times as long that it may take. docs/figures.md says which goals are missed. */
const goals = [
  ['--version', 'empty', 1.12],
  ['--help', 'empty', 1.6],
  ["a command's help", 'empty', 1.55],
  ['a usage error', 'empty', 1.65],
  ['one request', 'empty', 3.7],
  ['one request', 'minimal', 1.35],
  ['one request over https', 'minimal over https', 1.4],
  ['a delete', 'one request', 1.45],
]

/**
 * Makes a home with a configuration file, as people have one. It is not in the folder of temporary files, because others can write
 * there: svc keeps compiled code only below folders that nobody else can change.
 */
function makeHome(servers) {
  const home = mkdtempSync(join(root, 'node_modules/.bench-home-'))
  process.on('exit', () => rmSync(home, { recursive: true, force: true }))
  const profiles = Object.entries(servers).map(([name, { env }]) => {
    const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = env
    return [name, { baseUrl, apiKey, apiSecret }]
  })
  const content = JSON.stringify({ profiles: Object.fromEntries(profiles) })
  mkdirSync(join(home, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, '.config/svc/config.json'), content, { mode: 0o600 })
  return home
}

/** The environment of somebody with that home, whose credentials are in the file alone. */
function environmentOf(home, profile, { env }) {
  const own = { ...env, HOME: home, XDG_CACHE_HOME: join(home, '.cache'), SVC_PROFILE: profile }
  for (const name of ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'XDG_CONFIG_HOME'])
    delete own[name]
  return own
}

/** Packs svc and installs it by npm; returns its `svc.js`. */
function install() {
  const [packed, prefix] = [join(folder, 'packed'), join(folder, 'installed')]
  mkdirSync(packed)
  const pack = ['pack', '--silent', '--pack-destination', packed]
  execFileSync('npm', pack, { cwd: root, stdio: 'ignore' })
  const words = 'install --global --offline --silent --prefix'.split(' ')
  execFileSync('npm', [...words, prefix, join(packed, readdirSync(packed)[0])])
  const modules = join(prefix, 'lib/node_modules')
  // npm cannot get the optional package offline.
  symlinkSync(join(root, 'node_modules/@photostructure'), join(modules, '@photostructure'))
  return join(modules, '@svc-cli/svc/bin/svc.js')
}

/** Bundles `minimal.mjs` with the part of undici that svc has. Returns its path. */
async function bundleMinimal() {
  const outfile = join(folder, 'minimal.cjs')
  const form = { platform: 'node', format: 'cjs', supported: { 'dynamic-import': false } }
  const entryPoints = [join(here, 'minimal.mjs')]
  await build({ ...form, bundle: true, minify: true, entryPoints, outfile })
  return outfile
}

export async function start() {
  const servers = { plain: await serve({}), secure: await serve({ tls: true }) }
  const minimalProgram = await bundleMinimal()
  const program = install()
  const home = makeHome(servers)
  // CommonJS, because an empty ES module takes a fifth more, which would flatter svc.
  const empty = join(folder, 'empty.cjs')
  writeFileSync(empty, '')
  const runs = {
    empty: () => time([empty], servers.plain.env),
    minimal: () => time([minimalProgram], servers.plain.env),
    'minimal over https': () => time([minimalProgram], servers.secure.env),
  }
  for (const [name, { words, codes, profile = 'plain' }] of Object.entries(cases)) {
    const env = environmentOf(home, profile, servers[profile])
    runs[name] = () => time([program, ...words], env, codes)
  }
  const found = Object.entries(interleave(runs, 60))
  const ms = Object.fromEntries(found.map(([name, times]) => [name, Math.min(...times)]))
  for (const [name, other, goal] of goals) {
    const times = `${ms[name].toFixed(1)} of ${ms[other].toFixed(1)} ms`
    report(`installed: ${name} ÷ ${other}`, ms[name] / ms[other], `≤ ${goal}`, times)
  }
  const more = (ms['a table'] - ms['one request']) / ms.empty
  report('installed: a table, more than JSON ÷ empty', more, '≤ 0.60')
}
