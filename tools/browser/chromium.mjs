/** Chromium without a window, driven over a pipe with the DevTools protocol: no port, no library, a profile that is thrown away. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { ownFolder } from '../harness/tool.mjs'

/** The name of a Chromium that starts here; undefined without one. */
export function findBrowser(wanted) {
  const names = wanted === undefined ? ['chromium', 'chromium-browser', 'google-chrome'] : [wanted]
  return names.find((name) => spawnSync(name, ['--version']).status === 0)
}

const longestWait = 60_000

export class Chromium {
  #child
  #folder = ownFolder('browser')
  #next = 0
  #waiting = new Map()
  #listeners = new Set()

  /** `more`: options beside those that are always given. */
  constructor(name, more = []) {
    const words = [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--hide-scrollbars'],
      // A container has little shared memory, and Chromium dies when it is full.
      '--disable-dev-shm-usage',
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ...[...more, '--remote-debugging-pipe', `--user-data-dir=${this.#folder}`, 'about:blank'],
    ]
    this.#child = spawn(name, words, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${name} ended`))
    })
    let text = ''
    this.#child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
      const pieces = (text + chunk).split('\0')
      text = pieces.pop()
      for (const piece of pieces) this.#take(JSON.parse(piece))
    })
  }

  #take({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      for (const listener of this.#listeners) listener(method, params, sessionId)
      return
    }
    const { resolve, reject } = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) resolve(result)
    else reject(new Error(error.message))
  }

  send(method, params = {}, sessionId) {
    const id = (this.#next += 1)
    this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered`)), longestWait)
      this.#waiting.set(id, { resolve: (value) => (clearTimeout(late), resolve(value)), reject })
    })
  }

  /** A tab. What it asks for and what runs in it is counted from the beginning. */
  async open() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
    const tab = new Tab((method, params) => this.send(method, params, sessionId))
    this.#listeners.add((method, params, from) => {
      if (from === sessionId) tab.take(method, params)
    })
    for (const domain of ['Page', 'Network', 'Runtime']) await tab.send(`${domain}.enable`)
    await tab.send('Runtime.addBinding', { name: 'executed' })
    return tab
  }

  async close() {
    const ended = once(this.#child, 'exit')
    process.kill(-(this.#child.pid ?? 0), 'SIGKILL')
    await ended
  }
}

class Tab {
  /** Addresses that the page asked for beside its own. */
  requests = []
  /** Scripts of the page that ran: calls of `executed()` and dialogs. */
  scripts = 0
  #url
  #loaded

  constructor(send) {
    this.send = send
  }

  take(method, params) {
    if (method === 'Network.requestWillBeSent' && params.request.url !== this.#url)
      this.requests.push(params.request.url)
    if (method === 'Runtime.bindingCalled') this.scripts += 1
    if (method === 'Page.javascriptDialogOpening') {
      this.scripts += 1
      void this.send('Page.handleJavaScriptDialog', { accept: true })
    }
    if (method === 'Page.loadEventFired') this.#loaded?.()
  }

  async load(url) {
    this.#url = url
    this.requests = []
    this.scripts = 0
    const loaded = new Promise((resolve) => (this.#loaded = resolve))
    await this.send('Page.navigate', { url })
    await loaded
  }

  /** `media`: screen or print; `scheme`: light or dark. */
  async look({ width, media, scheme }) {
    const features = [{ name: 'prefers-color-scheme', value: scheme }]
    await this.send('Emulation.setDeviceMetricsOverride', {
      width,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    })
    await this.send('Emulation.setEmulatedMedia', { media, features })
  }

  /** In a world of its own, which the page's policy does not bind and its scripts cannot reach. */
  async evaluate(...expressions) {
    const { frameTree } = await this.send('Page.getFrameTree')
    const { executionContextId } = await this.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    })
    let value
    for (const expression of expressions) {
      const how = { contextId: executionContextId, awaitPromise: true, returnByValue: true }
      const answer = await this.send('Runtime.evaluate', { expression, ...how })
      if (answer.exceptionDetails !== undefined)
        throw new Error(answer.exceptionDetails.exception?.description)
      value = answer.result.value
    }
    return value
  }
}
