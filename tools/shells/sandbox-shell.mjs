/**
 * `svc sandbox shell` in real shells on a real terminal, for people whose start-up files lead svc to another service in
 * every way they can. That service is there and must get no request.
 *
 * Needs a build (npm run prepare) and the shells.
 *
 *   node tools/shells/sandbox-shell.mjs bash
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { sleep } from '../harness/processes.mjs'
import { startToolSandbox } from '../harness/sandbox.mjs'
import { bin, commandLine, ownFolder } from '../harness/tool.mjs'

/** A program on a terminal. */
export class Terminal {
  screen = ''
  ended = undefined

  constructor(program, words, options) {
    this.pty = spawn(program, words, { name: 'xterm', rows: 50, ...options })
    this.pty.onData((data) => {
      this.screen += data
      // fish asks the terminal what it is, and waits for the answer.
      if (data.includes('\u001b[c') || data.includes('\u001b[0c')) this.pty.write('\u001b[?62;c')
      if (data.includes('\u001b[6n')) this.pty.write('\u001b[1;1R')
    })
    this.pty.onExit(({ exitCode }) => (this.ended = exitCode))
  }

  async until(condition, what) {
    const end = Date.now() + 15_000
    while (!condition()) {
      if (Date.now() > end)
        throw new Error(`waited in vain for ${what}; the screen was ${JSON.stringify(this.screen)}`)
      await sleep(20)
    }
  }

  shows(text) {
    return this.until(() => this.screen.includes(text), JSON.stringify(text))
  }

  async exit(line = '') {
    this.pty.write(line)
    await this.until(() => this.ended !== undefined, `the end after ${JSON.stringify(line)}`)
    return this.ended
  }
}

/** A start-up file that leads to the other service and to a svc that is not ours. */
function startUpFile(shell, home, other) {
  const variables = {
    ...other.env,
    SVC_PROFILE: 'prod',
    SVC_SANDBOX: other.baseUrl,
    SVC_CONFIG: join(home, 'config.json'),
    SVC_STATE_DIR: join(home, 'state'),
    XDG_STATE_HOME: join(home, 'state'),
  }
  const path = join(home, 'other-bin')
  const lines = Object.entries(variables)
  if (shell === 'fish') {
    return [
      ...lines.map(([name, value]) => `set -gx ${name} '${value}'`),
      `set -gx PATH '${path}' $PATH`,
      'function svc; echo function; end',
      "function fish_prompt; echo -n 'mine> '; end",
    ].join('\n')
  }
  return [
    ...lines.map(([name, value]) => `export ${name}='${value}'`),
    `export PATH='${path}':"$PATH"`,
    "alias svc='echo alias'",
    // As tools do that draw the prompt anew each time.
    shell === 'zsh' ? "precmd() { PROMPT='mine> ' }" : `PROMPT_COMMAND="PS1='mine> '"`,
  ].join('\n')
}

const startUpPath = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }

function homeOf(shell, other, more = '') {
  const home = ownFolder(`home-${shell}`)
  // Without the second one fish begins to read every manual page in the background.
  for (const name of ['.config/fish', '.local/share/fish/generated_completions'])
    mkdirSync(join(home, name), { recursive: true })
  mkdirSync(join(home, 'other-bin'))
  mkdirSync(join(home, 'tmp'))
  writeFileSync(join(home, 'other-bin/svc'), '#!/bin/sh\necho other program\n', { mode: 0o755 })
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret } = other.env
  const configuration = { current: 'prod', profiles: { prod: { baseUrl, apiKey, apiSecret } } }
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration), { mode: 0o600 })
  writeFileSync(join(home, startUpPath[shell]), `${startUpFile(shell, home, other)}\n${more}\n`)
  return home
}

/** A command of svc on a terminal, in a home of its own. */
class Session extends Terminal {
  #count = 0

  constructor(shell, home, words) {
    const own = {
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      SHELL: shell,
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
    }
    super(process.execPath, [bin, 'sandbox', ...words], {
      cols: 250,
      cwd: home,
      env: { PATH: process.env.PATH, ...own },
    })
    this.shell = shell
    this.home = home
  }

  /** Types a line and returns its exit code and what it wrote. */
  async run(line) {
    this.#count += 1
    const [out, code] = ['out', 'code'].map((name) => join(this.home, `${name}-${this.#count}`))
    const status = this.shell === 'fish' ? '$status' : '$?'
    this.pty.write(`${line} >${out} 2>&1; echo ${status} >${code}\r`)
    await this.until(
      () => existsSync(code) && readFileSync(code, 'utf8').endsWith('\n'),
      `the end of ${line}`,
    )
    return { code: Number(readFileSync(code, 'utf8')), text: readFileSync(out, 'utf8') }
  }

  /** Folders of sandboxes that are there. */
  get left() {
    return readdirSync(join(this.home, 'tmp')).filter((name) => name.startsWith('svc-sandbox-'))
  }

  /** The sandbox's own svc. */
  get svc() {
    return join(this.home, 'tmp', this.left[0], 'bin/svc')
  }
}

const isListening = (url) =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** Tries everything in one shell, and tells what is wrong. Returns of how many things. */
export async function checkSandboxShell(shell) {
  const other = await startToolSandbox([])
  const problems = []
  let count = 0
  const expect = (what, isTrue, detail) => {
    count += 1
    if (!isTrue) problems.push(`${shell}: ${what}: ${JSON.stringify(detail)}`)
  }
  const begin = (more, words) => new Session(shell, homeOf(shell, other, more), words)
  try {
    await inItsShell(begin('', ['shell']), other, expect)
    await terminated(begin('', ['shell']), expect)
    if (shell !== 'fish') await readonly(begin('readonly SVC_SANDBOX', ['shell']), expect)
    await inExec(begin('', ['exec', '--', shell]), expect)
    const record = await other.read('record')
    expect('no request to the other service', record.length === 0, record)
  } catch (error) {
    count += 1
    problems.push(`${shell}: ${error.message}`)
  } finally {
    await other.stop()
  }
  for (const problem of problems) console.log(problem)
  console.log(
    `svc sandbox shell in ${shell}: ${count - problems.length} of ${count} as they should be`,
  )
  return problems.length
}

async function inItsShell(session, other, expect) {
  await session.shows('(sandbox) mine>')
  const [, url = ''] = /a new sandbox at (http:\S+) /.exec(session.screen) ?? []
  expect('another address', url !== '' && url !== other.baseUrl, url)
  const who = await session.run('svc whoami --json')
  expect('whoami', who.code === 0 && JSON.parse(who.text).baseUrl === url, who)
  const [contact] = other.examples.contactsWithoutChats
  const dry = await session.run(`svc contacts delete ${contact} --dry-run`)
  expect('a dry run', dry.code === 0 && dry.text.includes(new URL(url).host), dry)
  const made = await session.run('svc lists create --name Made --json')
  expect('a change', made.code === 0, made)
  const place = await session.run('svc profiles show --json')
  expect(
    'its own files',
    !place.text.includes(`"${session.home}/config`) && place.text.includes('svc-sandbox-'),
    place,
  )
  const profile = await session.run('svc lists list -p prod')
  expect('a profile', profile.code === 4, profile)
  const typed = await session.run(
    `env SVC_SANDBOX=${other.baseUrl} SVC_BASE_URL=${other.baseUrl} svc lists list`,
  )
  expect('a variable that is typed', typed.code === 4 && typed.text.includes('SVC_SANDBOX'), typed)
  // The same start-up file again, and nothing after it: another svc may come first now, but not another service.
  const within = await session.run(`${session.shell} -i -c '${session.svc} lists list'`)
  expect('a shell in the shell', within.code === 4, within)
  expect('its exit code', (await session.exit('exit 3\r')) === 3, session.ended)
  await sleep(50)
  expect('the sandbox ends with it', !(await isListening(url)), url)
  expect('nothing is left behind', session.left.length === 0, session.left)
}

/** A shell ignores SIGTERM, and svc has to end all the same. */
async function terminated(session, expect) {
  await session.shows('(sandbox) mine>')
  const before = Date.now()
  process.kill(session.pty.pid, 'SIGTERM')
  await session.exit()
  expect('SIGTERM ends it at once', Date.now() - before < 3000, Date.now() - before)
  expect('SIGTERM leaves nothing behind', session.left.length === 0, session.left)
}

/** A variable that cannot be set any more: either it is, or there is no shell. */
async function readonly(session, expect) {
  if (session.shell === 'zsh') {
    await session.shows('(sandbox) mine>')
    const who = await session.run('svc whoami --json')
    expect('a read-only SVC_SANDBOX', who.code === 0, who)
    await session.exit('exit\r')
    return
  }
  await session.shows('this shell was closed')
  expect('a read-only SVC_SANDBOX', (await session.exit()) === 4, session.ended)
}

/** In a shell that is started as any program, the start-up files win, and svc refuses to follow them. */
async function inExec(session, expect) {
  await session.shows('svc uses a new sandbox')
  await session.shows('mine>')
  const list = await session.run(`${session.svc} lists list`)
  expect('exec: refused', list.code === 4 && list.text.includes('SVC_SANDBOX'), list)
  const dry = await session.run(`${session.svc} contacts delete 640000000000000000000000 --dry-run`)
  expect('exec: a dry run is refused', dry.code === 4, dry)
  await session.exit('exit\r')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const shell of commandLine({}, Object.keys(startUpPath)).words)
    if ((await checkSandboxShell(shell)) > 0) process.exitCode = 1
}
