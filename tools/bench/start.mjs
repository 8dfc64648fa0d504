/**
 * Start-up of what users install, the packed tarball, beside an empty program and the least program for one request, in turn. The best
 * of each: other work only adds.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { empty, folder, here, interleave, report, root, serve, time } from './measure.mjs'

const lists = ['lists', 'list', '--limit', '20']
const cases = {
  '--version': { words: ['--version'], goal: 1.12 },
  '--help': { words: ['--help'], goal: 1.6 },
  "a command's help": { words: ['lists', 'list', '--help'], goal: 1.55 },
  'a usage error': { words: ['lists', 'list', '--nope'], goal: 1.65 },
  'one request, the second time': { words: [...lists, '--json'], goal: 3.7 },
  'one request, the first time': { words: [...lists, '--json'], isFirst: true },
  'one request, no code kept': { words: [...lists, '--json'], env: { XDG_CACHE_HOME: '/proc' } },
  'one request over https, the second time': { words: [...lists, '--json'], secure: true },
  'a table, the second time': { words: lists },
  'csv, the second time': { words: [...lists, '-o', 'csv'] },
}
const best = (values) => Math.min(...values)

/**
 * A home with a configuration file, as people have one. Nobody else can write to any folder above it, as they can to the folder of
 * temporary files: compiled code is kept in it. Each program has a home of its own.
 */
function homeOf(name, servers) {
  const home = mkdtempSync(join(root, `node_modules/.bench-${name}-`))
  process.on('exit', () => rmSync(home, { recursive: true, force: true }))
  const profiles = Object.fromEntries(
    Object.entries(servers).map(([profile, { env }]) => [profile, profileOf(env)]),
  )
  const folder = join(home, '.config/svc')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  return home
}

function profileOf({ SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }) {
  return { baseUrl, apiKey, apiSecret }
}

/** The environment of somebody with that home: the credentials are in the file. */
function environmentOf(home, profile, env) {
  const own = { ...env, HOME: home, XDG_CACHE_HOME: join(home, '.cache'), SVC_PROFILE: profile }
  for (const name of ['SVC_BASE_URL', 'SVC_API_KEY', 'SVC_API_SECRET', 'XDG_CONFIG_HOME'])
    delete own[name]
  return own
}

/** Runs one request, after which a Node with a compile cache must have kept the code. */
function keepCode(program, env) {
  time([program, ...lists], env)
  if (module.enableCompileCache === undefined) return
  if (existsSync(join(env.HOME, '.cache/svc/code'))) return
  throw new Error(`no compiled code is kept in ${env.HOME}: can others write there?`)
}

/** `svc.js` of a tarball, installed by npm. */
function install(tarball) {
  const prefix = join(folder, 'installed')
  const words = 'install --global --offline --silent --prefix'.split(' ')
  execFileSync('npm', [...words, prefix, tarball])
  return join(prefix, 'lib/node_modules/@svc-cli/svc/bin/svc.js')
}

function pack() {
  const place = join(folder, 'packed')
  mkdirSync(place)
  const words = ['pack', '--silent', '--pack-destination', place]
  execFileSync('npm', words, { cwd: root, stdio: 'ignore' })
  return join(place, readdirSync(place)[0])
}

/** The program of `minimal.mjs`, with the part of undici that svc has. */
async function minimal() {
  const outfile = join(folder, 'minimal.cjs')
  const form = { platform: 'node', format: 'cjs', supported: { 'dynamic-import': false } }
  const options = { ...form, bundle: true, minify: true }
  const entryPoints = [join(here, 'minimal.mjs')]
  await build({ ...options, entryPoints, outfile })
  return outfile
}

export async function start() {
  const servers = { plain: await serve(0), secure: await serve(0, 1, 300, ['--tls']) }
  const { plain, secure } = servers
  const bare = empty()
  const least = await minimal()
  const program = install(pack())
  const home = homeOf('home', servers)
  const first = homeOf('first', servers)
  keepCode(program, environmentOf(home, 'plain', plain.env))
  const runs = {
    bare: () => time([bare], plain.env),
    minimal: () => time([least], plain.env),
    'minimal https': () => time([least], secure.env),
  }
  for (const [name, { words, secure: isSecure, isFirst, env: more }] of Object.entries(cases)) {
    const profile = isSecure ? 'secure' : 'plain'
    const own = environmentOf(isFirst ? first : home, profile, servers[profile].env)
    const env = { ...own, ...more }
    runs[name] = () => {
      if (isFirst) rmSync(join(first, '.cache'), { recursive: true, force: true })
      return time([program, ...words], env)
    }
  }
  const found = Object.entries(interleave(runs, 60)).map(([name, times]) => [name, best(times)])
  const ms = Object.fromEntries(found)
  for (const [name, { goal }] of Object.entries(cases))
    report(
      `installed: ${name} ÷ an empty program`,
      ms[name] / ms.bare,
      goal === undefined ? 'none' : `≤ ${goal}`,
      `${ms[name].toFixed(1)} of ${ms.bare.toFixed(1)} ms`,
    )
  reportBesideJson(ms)
}

/** Further start-ups: commands that people type, and https, beside one request as JSON over http. */
function reportBesideJson(ms) {
  const json = ms['one request, the second time']
  for (const name of ['a table, the second time', 'csv, the second time'])
    report(
      `installed: ${name}, more than JSON ÷ an empty program`,
      (ms[name] - json) / ms.bare,
      '≤ 0.60',
    )
  report(
    'installed: one request, the second time ÷ the least program for it',
    json / ms.minimal,
    '≤ 1.35',
    `${ms.minimal.toFixed(1)} ms`,
  )
  report(
    'installed: one request over https, with a certificate of a setting ÷ the least program for it',
    ms['one request over https, the second time'] / ms['minimal https'],
    '≤ 1.4',
    `${ms['minimal https'].toFixed(1)} ms`,
  )
}
