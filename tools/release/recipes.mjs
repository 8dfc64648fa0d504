/** What package managers want to know of a release. `sumOf`: the SHA-256 of a file of it; `url`: where its files will be. */

export function homebrewFormula({ version, description, license, url, sumOf, nameOf }) {
  const place = (target) => {
    const file = nameOf(target)
    return `url "${url}/${file}"\n      sha256 "${sumOf(file)}"`
  }
  return `class Svc < Formula
  desc "${description}"
  homepage "${url}"
  version "${version}"
  license "${license}"

  on_macos do
    on_arm do
      ${place('darwin-arm64')}
    end
    on_intel do
      ${place('darwin-x64')}
    end
  end

  on_linux do
    on_arm do
      ${place('linux-arm64')}
    end
    on_intel do
      ${place('linux-x64')}
    end
  end

  def install
    man1.install "share/svc.1"
    bash_completion.install "share/svc.bash" => "svc"
    zsh_completion.install "share/_svc"
    fish_completion.install "share/svc.fish"
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/svc"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
  end
end
`
}

export function scoopManifest({ version, description, license, url, sumOf, nameOf }) {
  const file = nameOf('win-x64')
  const manifest = {
    version,
    description,
    homepage: url,
    license,
    architecture: {
      '64bit': {
        url: `${url}/${file}`,
        hash: sumOf(file),
        extract_dir: file.replace(/\.zip$/, ''),
      },
    },
    bin: 'bin\\svc.exe',
  }
  return `${JSON.stringify(manifest, null, 4)}\n`
}

/** Docker's names of the targets that an image may have. */
const architectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

/** The executable needs the C and C++ libraries, so it does not start on an empty image. `targets`: those that were made. */
export function dockerfile({ sumOf, nameOf, targets }) {
  const made = Object.keys(architectures).filter((target) => targets.includes(target))
  const files = made.map(nameOf)
  const cases = made.map((target, at) => {
    const file = files[at]
    return `      ${architectures[target]}) file=${file} sum=${sumOf(file)} ;; \\`
  })
  return `# In the folder with the files of the release: docker build -t svc .
FROM debian:12-slim AS unpacked
ARG TARGETARCH
COPY ${files.join(' ')} /tmp/
RUN case "$TARGETARCH" in \\
${cases.join('\n')}
      *) echo "this release has no svc for $TARGETARCH" >&2; exit 1 ;; \\
    esac && \\
    echo "$sum  /tmp/$file" | sha256sum --check --strict && \\
    mkdir /svc /state && tar -xzf "/tmp/$file" -C /svc --strip-components=1

# The C and C++ libraries and the certificates of Debian 12, and no shell.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=unpacked /svc/bin/svc /usr/bin/svc
COPY --from=unpacked /svc/LICENSES.txt /usr/share/doc/svc/
# Records of bulk runs: keep this volume.
COPY --from=unpacked --chown=nonroot:nonroot /state /state
ENV XDG_STATE_HOME=/state
VOLUME /state
ENTRYPOINT ["/usr/bin/svc"]
`
}
