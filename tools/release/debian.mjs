/** A Debian package: the executable, its manual page, and completion for three shells. */
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from '../harness/tool.mjs'
import { writeFiles } from './archives.mjs'

/** Kilobytes of a folder, as Debian counts them. */
function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)))
  return files.reduce(
    (sum, file) => sum + (file.isDirectory() ? 1 : Math.ceil(file.size / 1024)),
    0,
  )
}

const maintainer = 'The maintainers of svc <svc@packages.example.com>'

/** What a package of Debian's own would have otherwise, and this one has on purpose: Node.js is one file with its libraries in it. */
const overrides = `# Node.js brings its libraries with it, in the one file that its makers test and release.
svc-cli: embedded-library *
# Their licenses are quoted as Node.js distributes them; /usr/share/common-licenses is not on every system that installs this file.
svc-cli: copyright-file-contains-full-apache-2-license
svc-cli: copyright-not-using-common-license-for-gpl
`

/** `pages`: manual, completions and licenses by what they are. `time`: in seconds. */
export function writeDebian(
  path,
  folder,
  { executable, architecture, version, description, pages, time },
) {
  const zipped = (text) => gzipSync(text, { level: 9 })
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000')
  mkdirSync(join(folder, 'usr/bin'), { recursive: true })
  copyFileSync(executable, join(folder, 'usr/bin/svc'))
  writeFiles(folder, {
    'usr/share/man/man1/svc.1.gz': zipped(pages.manual),
    'usr/share/bash-completion/completions/svc': pages.bash,
    'usr/share/zsh/vendor-completions/_svc': pages.zsh,
    'usr/share/fish/vendor_completions.d/svc.fish': pages.fish,
    'usr/share/doc/svc-cli/copyright': pages.licenses,
    'usr/share/doc/svc-cli/CHANGELOG.md.gz': zipped(pages.changes),
    'usr/share/doc/svc-cli/changelog.gz': zipped(`svc-cli (${version}) unstable; urgency=medium

  * Version ${version}; what has changed is in CHANGELOG.md.gz.

 -- ${maintainer}  ${date}
`),
    'usr/share/lintian/overrides/svc-cli': overrides,
  })
  const size = sizeOf(folder)
  writeFiles(folder, {
    // daemontools has another program called svc.
    'DEBIAN/control': `Package: svc-cli
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libstdc++6 (>= 8)
Recommends: ca-certificates
Conflicts: daemontools
Section: utils
Priority: optional
Description: ${description}
 Bulk jobs can be stopped and resumed at any point, and every id gets a
 receipt that says what happened to it. A sandbox with the whole service
 is included.
`,
  })
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', folder, path], { env })
}
