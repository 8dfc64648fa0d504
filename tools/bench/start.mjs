/**
 * How long the installed program takes to start, against an empty Node program and the least
 * program with one request. They run in turn. The least time of 60 counts, because other work on
 * the machine can only make a run slower.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../harness/tool.mjs'
import { folder, inTurn, least, leastProgram, report, serve, time } from './measure.mjs'

const lists = 'lists list --limit 20'
/** A case, what it is compared with, and the most times as long that it may take. */
const goals = [
  ['--version', 'empty', 1.15],
  ['--help', 'empty', 1.5],
  ['lists list --help', 'empty', 1.64],
  ['lists list --nope', 'empty', 1.49],
  [`${lists} --json`, 'empty', 2.7],
  [`${lists} --json`, 'least', 1.33],
  [`${lists} --json over https`, 'least over https', 1.3],
  ['contacts delete 000000000000000000000001 --yes --json', `${lists} --json`, 1.2],
]

/** Packs svc, and installs it by npm. Returns its `svc.js`. */
function install() {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename, size, unpackedSize }] = JSON.parse(run('npm', words, { cwd: root }))
  report('packed: kB', size / 1000, '≤ 400')
  report('installed: MB', unpackedSize / 1e6, '≤ 1.2')
  const prefix = join(folder, 'installed')
  run('npm', ['install', '--global', '--offline', '--prefix', prefix, join(folder, filename)])
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

export async function start() {
  const program = install()
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
  for (const line of [lists, ...goals.map(([each]) => each)]) {
    const words = line.replace(' over https', '').split(' ')
    const env = line.endsWith('https') ? ownSecure : own
    cases[line] = () => time([program, ...words], env, line.endsWith('--nope') ? 2 : 0)
  }
  const taken = inTurn(cases, 60)
  for (const [name, other, goal] of goals)
    report(`${name} ÷ ${other}`, least(taken[name]) / least(taken[other]), `≤ ${goal}`)
  const more = least(taken[lists]) - least(taken[`${lists} --json`])
  report('a table, more than JSON ÷ empty', more / least(taken.empty), '≤ 0.35')
}
