/**
 * How long the installed program takes to start, in turn with an earlier svc. The least time of 60
 * counts, because other work on the machine can only make a run slower.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from '../harness/tool.mjs'
import { folder, inTurn, install, least, leastProgram, report, serve, time } from './measure.mjs'

const lists = 'lists list --limit 20'
/** A case, what it is compared with, and the goal. */
const ratios = [
  ['--version', 'empty', 'not behind'],
  ['--help', 'empty', 'not behind'],
  ['lists list --help', 'empty', 'not behind'],
  ['lists list --nope', 'empty', 'not behind'],
  [`${lists} --json`, 'empty', 'not behind'],
  [`${lists} --json`, 'least', '≤ 1.5'],
  [`${lists} --json over https`, 'least over https', '≤ 1.35'],
  ['contacts delete 000000000000000000000001 --yes --json', `${lists} --json`, 'not behind'],
]

/** Packs svc. Returns its tarball. */
function pack() {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename, size, unpackedSize }] = JSON.parse(run('npm', words, { cwd: root }))
  report('packed: kB', size / 1000, '≤ 400')
  report('installed: MB', unpackedSize / 1e6, '≤ 1.22')
  return join(folder, filename)
}

/** Credentials in the file alone. svc keeps compiled code only where nobody else can write. */
function withProfile(env) {
  const HOME = mkdtempSync(join(root, 'node_modules/.bench-home-'))
  process.on('exit', () => rmSync(HOME, { recursive: true, force: true }))
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret, ...others } = env
  const content = { current: 'bench', profiles: { bench: { baseUrl, apiKey, apiSecret } } }
  mkdirSync(join(HOME, '.config/svc'), { recursive: true, mode: 0o700 })
  writeFileSync(join(HOME, '.config/svc/config.json'), JSON.stringify(content), { mode: 0o600 })
  return { ...others, HOME, XDG_CACHE_HOME: join(HOME, '.cache'), XDG_CONFIG_HOME: undefined }
}

/** `earlier`: the `svc.js` of an earlier svc, if one is measured in turn. */
export async function start(earlier) {
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
  const programs = [['', install(pack(), 'installed')]]
  if (earlier !== undefined) programs.push([', earlier', earlier])
  for (const line of [lists, ...ratios.map(([each]) => each)]) {
    const words = line.replace(' over https', '').split(' ')
    const env = line.endsWith('https') ? ownSecure : own
    for (const [name, program] of programs) {
      // An earlier svc may have another form of the record.
      const ofProgram = { ...env, XDG_STATE_HOME: join(folder, `state${name}`) }
      cases[line + name] = () =>
        time([program, ...words], ofProgram, line.endsWith('--nope') ? 2 : 0)
    }
  }
  const taken = inTurn(cases, 60)
  const leastTime = (line, name) => least(taken[line + name] ?? taken[line])
  const compare = (what, goal, ratioOf) =>
    report(what, ratioOf(''), goal, earlier && ratioOf(', earlier'))
  for (const [line, other, goal] of ratios)
    compare(`${line} ÷ ${other}`, goal, (name) => leastTime(line, name) / leastTime(other, name))
  compare('a table, more than JSON ÷ empty', 'not behind', (name) => {
    const more = leastTime(lists, name) - leastTime(`${lists} --json`, name)
    return more / leastTime('empty', name)
  })
}
