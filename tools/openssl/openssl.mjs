/**
 * The commands of docs/integrators.md that sign a request with openssl and send it with curl, run as they stand against a sandbox: it
 * accepts the signature and makes the list. Needs sh, openssl and curl, which the tests do without.
 *   node tools/openssl/openssl.mjs
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, commandLine, refuse, root, run } from '../harness/tool.mjs'

commandLine()
const page = readFileSync(join(root, 'docs/integrators.md'), 'utf8')
const [, section] = page.split(/^## /m)
const commands =
  /^```text\n(body=[^]*?)^```$/m.exec(section)?.[1] ??
  refuse('the page has no commands under Signing')
const answer = JSON.parse(
  run(process.execPath, [bin, 'sandbox', 'exec', '--', 'sh', '-c', commands]),
)
if (answer.data?.name !== 'Spring')
  throw new Error(`the sandbox refused what openssl signed: ${JSON.stringify(answer)}`)
console.log('the sandbox accepts what openssl signed')
