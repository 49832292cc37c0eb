// The button that changes between the system's colours, light and dark.

function makeTheme(button) {
  const kinds = ["system", "light", "dark"];
  const shown = { system: ["◐", "system"], light: ["☀", "light"], dark: ["☾", "dark"] };
  let kind = 0;
  button.addEventListener("click", () => {
    kind = (kind + 1) % kinds.length;
    const [sign, words] = shown[kinds[kind]];
    button.textContent = sign;
    button.setAttribute("aria-label", `Colours: ${words}`);
    if (kind) document.documentElement.dataset.theme = kinds[kind];
    else delete document.documentElement.dataset.theme;
  });
}
