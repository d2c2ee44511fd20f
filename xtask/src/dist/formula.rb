class Kvrules < Formula
  desc "Check, prove and compile validation rules of platforms"
  homepage "https://github.com/kvrules/kvrules"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

  # @ARCHIVES@

  def install
    bin.install "kvrules", "mdbook-kvrules"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/kvrules.bash" => "kvrules"
    zsh_completion.install "completions/_kvrules"
    fish_completion.install "completions/kvrules.fish"
  end

  test do
    system bin/"kvrules", "init", "--ci", "none"
    system bin/"kvrules", "check"
    system bin/"kvrules", "compile"
    assert_path_exists testpath/"build/kvrules/json-schema"
  end
end
