/**
 * The pages that svc makes (tickets history -o html) in a real browser: each field of each page holds 44
 * hostile texts, one after the other. No request may leave, no script run, nothing overflow, on screens of 380, 900 and 1,200
 * pixels, light, dark and printed; axe-core looks for contrast, headings and other things that keep people out.
 *
 *   node tools/browser/pages.mjs [--browser /usr/bin/chromium]
 *
 * Needs a build (npm run prepare) and Chromium (Debian: apt-get install chromium).
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { startSandbox, svc } from '../harness/processes.mjs'
import { bundle } from '../harness/program.mjs'
import { commandLine, ownFolder, refuse } from '../harness/tool.mjs'
import { Chromium, findBrowser } from './chromium.mjs'
import { payloads } from './payloads.mjs'

const browser = findBrowser(commandLine({ browser: undefined }).browser)
if (browser === undefined)
  refuse('there is no Chromium here: install it, or name it with --browser')
const folder = ownFolder('pages')
const problems = []

const screens = [380, 900, 1200].flatMap((width) =>
  ['light', 'dark'].map((scheme) => ({ width, scheme, media: 'screen' })),
)
/** A4 at 96 dots per inch, and the scheme that must not matter. */
const looks = [...screens, { width: 794, scheme: 'dark', media: 'print' }]

/** Pages of tickets as the program makes them, by name. */
async function realPages() {
  const { env, examples, stop } = await startSandbox()
  const { tickets } = examples
  const made = {}
  const page = async (name, words) => {
    const { code, stdout, stderr } = await svc([...words, '-o', 'html'], env)
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    made[name] = stdout
  }
  try {
    for (const name of ['active', 'long', 'email', 'album', 'hostile', 'noMessages']) {
      await page(`ticket ${name}`, ['tickets', 'history', tickets[name], '--limit', '30'])
    }
    return made
  } finally {
    await stop()
  }
}

/** The functions that draw the pages, out of the source. */
async function drawing() {
  const contents = `export { page as ticketPage } from './src/output/formats/html.ts'`
  return import(pathToFileURL(await bundle(join(folder, 'pages.mjs'), contents)))
}

/** A page each of whose fields of text holds this one. */
async function hostilePage({ ticketPage }, text) {
  const attachment = { id: text, kind: text, fileName: text, mimeType: text, size: 1 }
  const fields = {
    sentAt: text,
    direction: text,
    fromId: text,
    subject: text,
    text,
    mediaGroupId: text,
  }
  const message = { ...fields, attachments: [attachment] }
  const messages = [message, { ...message, direction: 'incoming', sentAt: '2026-03-01T10:15:00Z' }]
  const conversation = {
    ticket: { id: text, status: text, assigneeId: text, startedAt: text },
    names: new Map([[text.toLowerCase(), text]]),
    source: { profile: text, part: text },
  }
  let page = ''
  for await (const piece of ticketPage(
    { messages, conversation, print: { utc: true, now: 0 } },
    () => text,
  ))
    page += piece
  return page
}

const overflowing = `[...document.querySelectorAll('body, body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.localName + '.' + one.getAttribute('class')).concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])`
const audit = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }).then(({ violations, passes }) => ({
  violations: violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 90) + ' ' + failureSummary.slice(0, 200)).join(' | ')),
  passed: passes.map(({ id }) => id),
}))`

const counts = { looks: 0, audits: 0, requests: 0, scripts: 0, overflows: 0, violations: 0 }
const checked = new Set()

async function load(tab, html) {
  const path = join(folder, 'page.html')
  writeFileSync(path, html)
  await tab.load(pathToFileURL(path).href)
}

/** Loads a page and looks at it in every way; `isAudited`: axe-core looks too. */
async function check(tab, name, html, isAudited) {
  await load(tab, html)
  for (const look of looks) {
    await tab.look(look)
    const where = `${name}, ${look.media} ${look.width} ${look.scheme}`
    counts.looks += 1
    const wide = await tab.evaluate(overflowing)
    if (wide.length > 0) problems.push(`${where}: overflows: ${wide.slice(0, 5).join(', ')}`)
    counts.overflows += wide.length
    if (!isAudited || look.media === 'print') continue
    const { violations, passed } = await tab.evaluate(axe.source, audit)
    counts.audits += 1
    counts.violations += violations.length
    for (const id of passed) checked.add(id)
    for (const violation of violations) problems.push(`${where}: ${violation}`)
  }
  counts.requests += tab.requests.length
  counts.scripts += tab.scripts
  if (tab.requests.length + tab.scripts > 0) {
    problems.push(`${name}: ${tab.scripts} scripts ran, asked for ${tab.requests.join(', ')}`)
  }
}

/** A page that escapes nothing: its scripts and requests must be seen, or the others are checked by nothing. */
async function control(tab) {
  let noticed = 0
  for (const payload of payloads) {
    await load(tab, `<!doctype html><title>x</title><body><p title="${payload}">${payload}</p>`)
    await tab.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    if (tab.scripts + tab.requests.length > 0) noticed += 1
  }
  console.log(
    `a page that escapes nothing: ${noticed} of ${payloads.length} hostile texts ran a script or asked for an address`,
  )
  if (noticed < payloads.length / 2) problems.push('the hostile texts do not do what they should')
}

const chromium = new Chromium(browser)
try {
  const tab = await chromium.open()
  await tab.send('Emulation.setScriptExecutionDisabled', { value: false })
  await control(tab)
  for (const [name, html] of Object.entries(await realPages())) await check(tab, name, html, true)
  const draw = await drawing()
  for (const [i, payload] of payloads.entries()) {
    await check(tab, `ticket with text ${i + 1}`, await hostilePage(draw, payload), false)
  }
  for (const id of ['color-contrast', 'heading-order', 'html-has-lang', 'page-has-heading-one']) {
    if (!checked.has(id)) problems.push(`axe-core never checked ${id}`)
  }
} finally {
  await chromium.close()
}
for (const problem of problems) console.log(problem)
const { looks: all, audits, requests, scripts, overflows, violations } = counts
console.log(
  `${payloads.length} hostile texts in every field of the page: ${requests} requests, ${scripts} scripts; ` +
    `${all} looks, ${overflows} overflows; ${audits} audits, ${violations} violations`,
)
process.exitCode = problems.length === 0 ? 0 : 1
