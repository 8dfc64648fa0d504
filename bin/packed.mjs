/**
 * The manifest of the npm package: that of the clone without what only a clone needs, so that installing it builds nothing. npm pack
 * calls this before, and with `restore` after.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ofClone = ['scripts', 'devDependencies', 'allowScripts', 'prettier', 'knip']
const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const kept = `${manifest}.clone`
// Also after an npm pack that was killed.
if (existsSync(kept)) renameSync(kept, manifest)
if (process.argv[2] !== 'restore') {
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(kept, text, { flag: 'wx' })
  const packed = Object.entries(JSON.parse(text)).filter(([name]) => !ofClone.includes(name))
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(packed), null, 2)}\n`)
}
