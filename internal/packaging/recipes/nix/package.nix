# Made by make release from the archives' checksums; not tried with nix here:
#   nix-build -E '(import <nixpkgs> { }).callPackage ./package.nix { }'
{ lib, stdenvNoCC, fetchurl, installShellFiles }:

let
  archives = {
    "x86_64-linux" = {
      url = "{{.URL}}/{{.Archive "linux" "amd64"}}";
      sha256 = "{{.Sum "linux" "amd64"}}";
    };
    "aarch64-linux" = {
      url = "{{.URL}}/{{.Archive "linux" "arm64"}}";
      sha256 = "{{.Sum "linux" "arm64"}}";
    };
    "x86_64-darwin" = {
      url = "{{.URL}}/{{.Archive "darwin" "amd64"}}";
      sha256 = "{{.Sum "darwin" "amd64"}}";
    };
    "aarch64-darwin" = {
      url = "{{.URL}}/{{.Archive "darwin" "arm64"}}";
      sha256 = "{{.Sum "darwin" "arm64"}}";
    };
  };
in
stdenvNoCC.mkDerivation {
  pname = "chatvault";
  version = "{{.Version}}";
  src = fetchurl (archives.${stdenvNoCC.hostPlatform.system} or (throw "chatvault has no binary for ${stdenvNoCC.hostPlatform.system}"));
  nativeBuildInputs = [ installShellFiles ];
  dontBuild = true;
  dontStrip = true;
  installPhase = ''
    runHook preInstall
    install -Dm755 chatvault -t $out/bin
    install -Dm644 LICENSE NOTICES.txt -t $out/share/licenses/chatvault
    installManPage man/man1/*.1
    installShellCompletion --bash --name chatvault completions/chatvault.bash
    installShellCompletion --zsh completions/_chatvault
    installShellCompletion --fish completions/chatvault.fish
    runHook postInstall
  '';
  meta = {
    description = "Chat with your vault of Markdown notes, in the terminal";
    homepage = "{{.URL}}";
    license = lib.licenses.mit;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
    mainProgram = "chatvault";
    platforms = builtins.attrNames archives;
  };
}
