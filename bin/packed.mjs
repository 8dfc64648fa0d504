/**
 * The manifest of the npm package: that of the clone without what only a clone needs, so that installing it builds nothing. npm pack
 * calls this before, and with `restore` after.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ofClone = ['scripts', 'devDependencies', 'allowScripts', 'prettier', 'knip']

export function packedManifest(text) {
  const packed = Object.entries(JSON.parse(text)).filter(([name]) => !ofClone.includes(name))
  return `${JSON.stringify(Object.fromEntries(packed), null, 2)}\n`
}

const path = fileURLToPath(import.meta.url)
if (process.argv[1] === path) {
  const manifest = join(path, '../../package.json')
  const kept = `${manifest}.clone`
  // Also after an npm pack that was killed.
  if (existsSync(kept)) renameSync(kept, manifest)
  if (process.argv[2] !== 'restore') {
    const text = readFileSync(manifest, 'utf8')
    writeFileSync(kept, text, { flag: 'wx' })
    writeFileSync(manifest, packedManifest(text))
  }
}
