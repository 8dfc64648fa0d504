/**
 * How long the installed program takes to start, against an empty Node program and the least
 * program with one request, and against an earlier package of svc. They run in turn. The least time
 * of 60 counts, because other work on the machine can only make a run slower.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root, run } from '../harness/tool.mjs'
import { folder, inTurn, least, leastProgram, report, serve, time } from './measure.mjs'

const lists = 'lists list --limit 20'
/** A case, and what it is compared with, perhaps with the most times as long that it may take. */
const ratios = [
  ['--version', 'empty'],
  ['--help', 'empty'],
  ['lists list --help', 'empty'],
  ['lists list --nope', 'empty'],
  [`${lists} --json`, 'empty'],
  [`${lists} --json`, 'least', '≤ 1.5'],
  [`${lists} --json over https`, 'least over https', '≤ 1.35'],
  ['contacts delete 000000000000000000000001 --yes --json', `${lists} --json`],
]

/** Packs svc. Returns its tarball. */
function pack() {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename, size, unpackedSize }] = JSON.parse(run('npm', words, { cwd: root }))
  report('packed: kB', size / 1000, '≤ 450')
  report('installed: MB', unpackedSize / 1e6, '≤ 1.4')
  return join(folder, filename)
}

/** Installs a tarball by npm. Returns its `svc.js`. */
function install(tarball, name) {
  const prefix = join(folder, name)
  run('npm', ['install', '--global', '--offline', '--prefix', prefix, tarball])
  const modules = join(prefix, 'lib/node_modules')
  // npm cannot get the optional package offline.
  symlinkSync(join(root, 'node_modules/@photostructure'), join(modules, '@photostructure'))
  return join(modules, '@svc-cli/svc/bin/svc.js')
}

/**
 * The environment of somebody whose credentials are in the configuration file alone. It is not in
 * the folder of temporary files, because others can write there: svc keeps compiled code only below
 * folders that nobody else can change.
 */
function withProfile(env) {
  const HOME = mkdtempSync(join(root, 'node_modules/.bench-home-'))
  process.on('exit', () => rmSync(HOME, { recursive: true, force: true }))
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret, ...others } = env
  const content = { current: 'bench', profiles: { bench: { baseUrl, apiKey, apiSecret } } }
  mkdirSync(join(HOME, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(HOME, '.config/svc/config.json'), JSON.stringify(content), { mode: 0o600 })
  return { ...others, HOME, XDG_CACHE_HOME: join(HOME, '.cache'), XDG_CONFIG_HOME: undefined }
}

export async function start(beside) {
  const program = install(pack(), 'installed')
  const earlier = beside === '' ? undefined : install(resolve(beside), 'beside')
  // CommonJS, because an empty ES module takes a fifth more, which would flatter svc.
  const empty = join(folder, 'empty.cjs')
  writeFileSync(empty, '')
  const [plain, secure] = [await serve(), await serve({ tls: true })]
  const leastOf = (env) => () =>
    time([leastProgram, env.SVC_BASE_URL, '1', '1', '/v1/lists?page=1&limit=20'], env)
  const cases = {
    empty: () => time([empty], plain),
    least: leastOf(plain),
    'least over https': leastOf(secure),
  }
  const [own, ownSecure] = [plain, secure].map(withProfile)
  const lines = new Set([lists, ...ratios.map(([line]) => line)])
  for (const line of lines) {
    const words = line.replace(' over https', '').split(' ')
    const env = line.endsWith('https') ? ownSecure : own
    const timeOf = (script) => time([script, ...words], env, line.endsWith('--nope') ? 2 : 0)
    cases[line] = () => timeOf(program)
    if (earlier !== undefined) cases[`${line}, earlier`] = () => timeOf(earlier)
  }
  const taken = inTurn(cases, 60)
  for (const [name, other, goal] of ratios)
    report(`${name} ÷ ${other}`, least(taken[name]) / least(taken[other]), goal)
  const more = least(taken[lists]) - least(taken[`${lists} --json`])
  report('a table, more than JSON ÷ empty', more / least(taken.empty))
  if (earlier === undefined) return
  for (const line of lines)
    report(
      `${line} ÷ the earlier svc`,
      least(taken[line]) / least(taken[`${line}, earlier`]),
      '≤ 1.05',
    )
}
