/**
 * A page in a real browser tries to use a sandbox on the same machine in every way that pages have. None may read anything,
 * change anything, or switch a fault on. The same page is first turned against a server that answers everything, so that
 * it is known that its requests do leave the browser.
 *
 *   node tools/browser/sandbox.mjs [--browser /usr/bin/chromium]
 *
 * Needs a build (npm run prepare) and Chromium (Debian: apt-get install chromium).
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { signed, startSandbox, svc } from '../harness/processes.mjs'
import { commandLine, refuse } from '../harness/tool.mjs'
import { Chromium, findBrowser } from './chromium.mjs'

const browser = findBrowser(commandLine({ browser: undefined }).browser)
if (browser === undefined) refuse('there is no Chromium here: install it, or name it with --browser')

/** A name of the page's own that leads to this machine, as after DNS rebinding. */
const reboundName = 'rebound.example'

/** Runs in the page. Each attempt resolves to what it could read, or to undefined. */
const attempts = `
const read = async (work) => { const answer = await work; if (answer.type === 'opaque') return undefined; return answer.status + ' ' + (await answer.text()).slice(0, 80) }
const element = (name, attributes, parent = document.body) => new Promise((resolve) => {
  const one = Object.assign(document.createElement(name), attributes)
  one.onload = () => resolve(undefined)
  one.onerror = () => resolve(undefined)
  parent.append(one)
})
const submit = (action, enctype, sandbox) => new Promise((resolve) => {
  const frame = Object.assign(document.createElement('iframe'), { name: 'frame' + Math.random() })
  document.body.append(frame)
  const form = Object.assign(document.createElement('form'), { action, enctype, method: 'POST', target: frame.name })
  form.append(Object.assign(document.createElement('input'), { name: '*', value: '503' }))
  if (sandbox) {
    frame.sandbox = 'allow-forms allow-scripts'
    frame.srcdoc = form.outerHTML + '<script>document.forms[0].target = "_self"; document.forms[0].submit()</' + 'script>'
  } else {
    document.body.append(form)
    form.submit()
  }
  setTimeout(resolve, 1000)
})
const xhr = (method, url, body) => new Promise((resolve) => {
  const one = new XMLHttpRequest()
  one.open(method, url)
  one.onload = () => resolve(one.status + ' ' + one.responseText.slice(0, 80))
  one.onerror = () => resolve(undefined)
  one.send(body)
})
const inWorker = (url) => new Promise((resolve) => {
  const code = 'fetch(' + JSON.stringify(url) + ').then((a) => a.text()).then((t) => postMessage(t), () => postMessage(undefined))'
  const worker = new Worker(URL.createObjectURL(new Blob([code])))
  worker.onmessage = ({ data }) => resolve(data)
})
const plain = { method: 'POST', body: '*=503', headers: { 'content-type': 'text/plain' } }
const attempts = ({ base, rebound, token, list, remove }) => ({
  'fetch': () => read(fetch(base + '/_sandbox/info')),
  'fetch of the record': () => read(fetch(base + '/_sandbox/record')),
  'fetch, no-cors': () => read(fetch(base + '/_sandbox/info', { mode: 'no-cors' })),
  'fetch with credentials': () => read(fetch(base + '/_sandbox/info', { credentials: 'include' })),
  'POST of faults': () => read(fetch(base + '/_sandbox/faults', plain)),
  'POST of faults, no-cors': () => read(fetch(base + '/_sandbox/faults', { ...plain, mode: 'no-cors' })),
  'POST of faults, keepalive': () => read(fetch(base + '/_sandbox/faults', { ...plain, keepalive: true })),
  'POST of faults with the token': () => read(fetch(base + '/_sandbox/faults', { ...plain, headers: { ...plain.headers, authorization: 'Bearer ' + token } })),
  'GET with the token': () => read(fetch(base + '/_sandbox/info', { headers: { authorization: 'Bearer ' + token } })),
  'signed read': () => read(fetch(base + '/v1/lists', { headers: list.headers })),
  'signed change': () => read(fetch(base + '/v1/contacts/bulk-delete', { method: 'POST', body: remove.body, headers: remove.headers })),
  'PUT': () => read(fetch(base + '/_sandbox/faults', { ...plain, method: 'PUT' })),
  'XMLHttpRequest': () => xhr('GET', base + '/_sandbox/record'),
  'XMLHttpRequest of faults': () => xhr('POST', base + '/_sandbox/faults', '*=503'),
  'beacon': () => void navigator.sendBeacon(base + '/_sandbox/faults', '*=503'),
  'form': () => submit(base + '/_sandbox/faults', 'application/x-www-form-urlencoded'),
  'form as text': () => submit(base + '/_sandbox/faults', 'text/plain'),
  'form with a file part': () => submit(base + '/_sandbox/faults', 'multipart/form-data'),
  'form of a sandboxed frame': () => submit(base + '/_sandbox/faults', 'text/plain', true),
  'image': () => element('img', { src: base + '/_sandbox/info?image' }),
  'script': () => element('script', { src: base + '/_sandbox/record?script' }),
  'module': () => element('script', { src: base + '/_sandbox/record?module', type: 'module' }),
  'style sheet': () => element('link', { href: base + '/_sandbox/info?style', rel: 'stylesheet' }, document.head),
  'frame': () => element('iframe', { src: base + '/_sandbox/info?frame' }),
  'object': () => element('object', { data: base + '/_sandbox/info?object' }),
  'video': () => element('video', { src: base + '/_sandbox/info?video' }),
  'event source': () => new Promise((resolve) => { const one = new EventSource(base + '/_sandbox/record?events'); one.onopen = () => resolve('open'); one.onerror = () => { one.close(); resolve(undefined) } }),
  'websocket': () => new Promise((resolve) => { const one = new WebSocket(base.replace('http', 'ws') + '/_sandbox/info?socket'); one.onopen = () => resolve('open'); one.onerror = () => resolve(undefined) }),
  'worker': () => inWorker(base + '/_sandbox/info?worker'),
  'another name': () => read(fetch(rebound + '/_sandbox/info')),
  'another name, no-cors': () => read(fetch(rebound + '/_sandbox/faults', { ...plain, mode: 'no-cors' })),
  'frame of another name': () => element('iframe', { src: rebound + '/_sandbox/info?rebound' }),
})
const within = (ms, work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms))])
const run = async (target) => {
  const results = {}
  for (const [name, attempt] of Object.entries(attempts(target))) {
    results[name] = (await within(3000, Promise.resolve().then(attempt).catch(() => undefined))) ?? null
  }
  await fetch('/results', { method: 'POST', body: JSON.stringify(results) })
}
`

/** Listens on a free port of this machine; resolves to the server and its port. */
async function listen(handle) {
  const server = createServer(handle)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: server.address().port }
}

/** Lets a browser load the page that attacks `target`, and resolves to what it could read, by attempt. */
async function browse(browser, target) {
  let finish
  const finished = new Promise((resolve) => (finish = resolve))
  const page = `<!doctype html><title>page</title><body><script>${attempts}\nrun(${JSON.stringify(target)})</script>`
  const { server, port } = await listen((request, response) => {
    if (request.method === 'GET') return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      response.end()
      finish(JSON.parse(text))
    })
  })
  const rules = ['--disable-quic', '--no-proxy-server', `--host-resolver-rules=MAP ${reboundName} 127.0.0.1`]
  const chromium = new Chromium(browser, rules)
  const late = setTimeout(() => finish(undefined), 120_000)
  try {
    const tab = await chromium.open()
    await tab.send('Page.navigate', { url: `http://127.0.0.1:${port}/` })
    const results = await finished
    if (results === undefined) throw new Error(`${browser} did not bring the page to its end within two minutes`)
    return results
  } finally {
    clearTimeout(late)
    await chromium.close()
    server.close()
    server.closeAllConnections()
  }
}

/** A server that lets everybody do everything. Returns the paths that were asked for, preflights apart. */
async function control(browser, prepared) {
  const seen = []
  const { server, port } = await listen((request, response) => {
    request.resume()
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*, authorization',
      'access-control-allow-methods': '*',
    }
    if (request.method !== 'OPTIONS') seen.push(`${request.method} ${request.headers.host} ${request.url}`)
    response.writeHead(200, { ...allowed, 'content-type': 'text/plain' }).end('readable')
  })
  const base = `http://127.0.0.1:${port}`
  const results = await browse(browser, { ...prepared, base, rebound: `http://${reboundName}:${port}` })
  server.close()
  server.closeAllConnections()
  return { results, seen }
}

const sandbox = await startSandbox([])
const problems = []
try {
  const [contact] = sandbox.examples.contactsWithoutChats
  const body = JSON.stringify({ contactIds: [contact] })
  // What a script in the page needs nothing more for: the keys of the sandbox are public.
  const [list, remove] = [{ headers: signed(sandbox.env) }, { headers: signed(sandbox.env, body), body }]
  const prepared = { token: sandbox.token, list, remove }

  const { results: open, seen } = await control(browser, prepared)
  const readable = Object.values(open).filter((result) => result !== null).length
  console.log(
    `a server that lets everybody: ${Object.keys(open).length} attempts, ${seen.length} requests arrived, ${readable} could be read`,
  )
  if (seen.length < 30 || readable < 10) problems.push(`the page does not try what it should: ${JSON.stringify(open)}`)

  const rebound = sandbox.baseUrl.replace('127.0.0.1', reboundName)
  const results = await browse(browser, { ...prepared, base: sandbox.baseUrl, rebound })
  for (const [name, result] of Object.entries(results)) if (result !== null) problems.push(`${name}: ${result}`)
  const record = await sandbox.read('record')
  if (record.length > 0) problems.push(`${record.length} requests came through: ${JSON.stringify(record)}`)
  const { code } = await svc(['lists', 'list', '--limit', '1', '--retries', '0'], sandbox.env)
  if (code !== 0) problems.push(`a fault is on: svc lists list ends with ${code}`)
  const contacts = await sandbox.read('state?kind=contacts')
  if (!contacts.some(({ id }) => id === contact)) problems.push('a contact was deleted')
  for (const problem of problems) console.log(problem)
  const failed = Object.values(results).filter((result) => result === null).length
  console.log(
    `${Object.keys(results).length} attempts of a foreign page in a real browser: ${failed} failed, ${record.length} requests came through`,
  )
} finally {
  await sandbox.stop()
}
process.exitCode = problems.length === 0 ? 0 : 1
