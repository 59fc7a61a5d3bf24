# Made by make release from the archives' checksums; not tried with Homebrew here.
class Chatvault < Formula
  desc "Chat with your vault of Markdown notes, in the terminal"
  homepage "{{.URL}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{.URL}}/{{.Archive "darwin" "arm64"}}"
      sha256 "{{.Sum "darwin" "arm64"}}"
    end
    on_intel do
      url "{{.URL}}/{{.Archive "darwin" "amd64"}}"
      sha256 "{{.Sum "darwin" "amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL}}/{{.Archive "linux" "arm64"}}"
      sha256 "{{.Sum "linux" "arm64"}}"
    end
    on_intel do
      url "{{.URL}}/{{.Archive "linux" "amd64"}}"
      sha256 "{{.Sum "linux" "amd64"}}"
    end
  end

  def install
    bin.install "chatvault"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/chatvault.bash" => "chatvault"
    zsh_completion.install "completions/_chatvault"
    fish_completion.install "completions/chatvault.fish"
    doc.install "NOTICES.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/chatvault version")
  end
end
