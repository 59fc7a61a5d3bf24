package highlight

// Quotes that many languages have.
var (
	double   = quote{open: `"`, close: `"`, escape: '\\'}
	single   = quote{open: `'`, close: `'`, escape: '\\'}
	backtick = quote{open: "`", close: "`", escape: '\\', lines: true}
	sqlText  = quote{open: `'`, close: `'`, escape: '\'', lines: true}
	doubles  = quote{open: `"`, close: `"`, escape: '\\', lines: true}
	singles  = quote{open: `'`, close: `'`, escape: '\\', lines: true}
	triple   = quote{open: `"""`, close: `"""`, escape: '\\', lines: true}
	triples  = quote{open: `'''`, close: `'''`, escape: '\\', lines: true}
	cBlock   = quote{open: "/*", close: "*/", lines: true}
)

const cWords = "auto break case char const continue default do double else enum extern false float for goto if inline int long NULL register " +
	"return short signed sizeof static struct switch true typedef union unsigned void volatile while bool size_t "

const jsWords = "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export " +
	"extends false finally for from function get if implements import in infer instanceof interface keyof let module namespace never new null number " +
	"object of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined " +
	"unknown var void while with yield"

// languages are those that are known, by the names that stand after a fence.
var languages = []language{
	{
		names: "go golang", comments: "//", blocks: []quote{cBlock},
		quotes: []quote{double, single, {open: "`", close: "`", lines: true}},
		keywords: "any bool break byte case chan comparable complex128 complex64 const continue default defer else error fallthrough false float32 " +
			"float64 for func go goto if import int int16 int32 int64 int8 interface iota map nil package range return rune select string struct " +
			"switch true type uint uint16 uint32 uint64 uint8 uintptr var",
	},
	{
		names: "js javascript jsx mjs cjs ts typescript tsx node dataviewjs", comments: "//", blocks: []quote{cBlock}, letters: "$",
		quotes: []quote{double, single, backtick}, keywords: jsWords, sigils: "@",
	},
	{
		names: "py python python3 py3", comments: "#", quotes: []quote{triple, triples, double, single}, sigils: "@",
		keywords: "False None True and as assert async await break case class continue def del elif else except finally for from global if import in " +
			"is lambda match nonlocal not or pass raise return self try while with yield",
	},
	{
		names: "c h", comments: "//", blocks: []quote{cBlock}, quotes: []quote{double, single}, sigils: "#", keywords: cWords,
	},
	{
		names: "cpp c++ cc cxx hpp arduino objc objective-c", comments: "//", blocks: []quote{cBlock}, quotes: []quote{double, single}, sigils: "#@",
		keywords: cWords + "catch class co_await co_return co_yield concept constexpr consteval delete dynamic_cast explicit final friend mutable " +
			"namespace new noexcept nullptr operator override private protected public reinterpret_cast requires static_cast string template this throw " +
			"try typename using virtual wchar_t",
	},
	{
		names: "java", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, double, single}, sigils: "@",
		keywords: "abstract assert boolean break byte case catch char class const continue default do double else enum extends false final finally " +
			"float for goto if implements import instanceof int interface long native new null package permits private protected public record return " +
			"sealed short static super switch synchronized this throw throws transient true try var void volatile while yield",
	},
	{
		names: "cs csharp c#", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, double, single}, sigils: "#",
		keywords: "abstract as async await base bool break byte case catch char checked class const continue decimal default delegate do double dynamic " +
			"else enum event explicit extern false finally fixed float for foreach get goto if implicit in int interface internal is lock long " +
			"namespace new null object operator out override params partial private protected public readonly record ref return sbyte sealed set short " +
			"sizeof static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using var virtual void volatile where " +
			"while yield",
	},
	{
		names: "rust rs", comments: "//", blocks: []quote{cBlock}, quotes: []quote{doubles}, sigils: "#",
		keywords: "as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i128 i16 i32 i64 i8 if impl in isize " +
			"let loop match mod move mut None Ok Err Option pub ref Result return Self self Some static str String struct super trait true type u128 " +
			"u16 u32 u64 u8 union unsafe use usize Vec where while",
	},
	{
		names: "swift", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, double}, sigils: "@#",
		keywords: "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough false " +
			"fileprivate for func guard if import in init inout internal is lazy let mutating nil open operator override private protocol public repeat " +
			"rethrows return self Self some static struct subscript super switch throw throws true try typealias var weak where while",
	},
	{
		names: "kotlin kt kts", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, double, single}, sigils: "@",
		keywords: "abstract as break by catch class companion const constructor continue crossinline data do else enum false final finally for fun get if " +
			"import in infix init inline inner interface internal is it lateinit noinline null object open operator out override package private " +
			"protected public reified return sealed set super suspend tailrec this throw true try typealias val var vararg when where while",
	},
	{
		names: "scala sc", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, double, single}, sigils: "@",
		keywords: "abstract case catch class def do else enum export extends false final finally for given if implicit import lazy match new null object " +
			"override package private protected return sealed super then this throw trait true try type using val var while with yield",
	},
	{
		names: "dart", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, triples, double, single}, sigils: "@",
		keywords: "abstract as assert async await base bool break case catch class const continue covariant default deferred do double dynamic else enum " +
			"export extends extension external factory false final finally for Function get if implements import in int interface is late library List " +
			"Map mixin new null on operator part required rethrow return sealed set static String super switch sync this throw true try typedef var " +
			"void when while with yield",
	},
	{
		names: "zig", comments: "//", quotes: []quote{double, single}, sigils: "@",
		keywords: "addrspace align allowzero and anyframe anytype asm async await bool break catch comptime const continue defer else enum errdefer error " +
			"export extern false fn for i32 i64 if inline linksection noalias null or orelse packed pub resume return struct suspend switch test " +
			"threadlocal true try u32 u64 u8 undefined union unreachable usize usingnamespace var void volatile while",
	},
	{
		names: "php", comments: "// #", blocks: []quote{cBlock}, quotes: []quote{doubles, singles}, sigils: "$", ignore: true,
		keywords: "abstract and array as bool break callable case catch class clone const continue declare default do echo else elseif empty enum extends " +
			"false final finally float fn for foreach function global goto if implements include instanceof int interface isset list match mixed " +
			"namespace new null or print private protected public readonly require require_once return self static string switch throw trait true try " +
			"unset use var void while yield",
	},
	{
		names: "rb ruby", comments: "#", quotes: []quote{doubles, singles}, sigils: "@:$", letters: "?!",
		keywords: "alias and attr_accessor attr_reader begin break case class def defined? do else elsif end ensure extend false for if in include lambda " +
			"module next nil not or private proc protected public raise redo require rescue retry return self super then true undef unless until when " +
			"while yield",
	},
	{
		names: "perl pl pm", comments: "#", quotes: []quote{doubles, singles}, sigils: "$@%",
		keywords: "and cmp defined do each else elsif eq exists for foreach ge gt if keys last le local lt my ne next no not or our package print push " +
			"require return say shift split sub undef unless until use values wantarray while",
	},
	{
		names: "lua", comments: "--", blocks: []quote{{open: "--[[", close: "]]", lines: true}},
		quotes:   []quote{double, single, {open: "[[", close: "]]", lines: true}},
		keywords: "and break do else elseif end false for function goto if in local nil not or repeat return self then true until while",
	},
	{
		names: "sh bash zsh shell fish ksh console shell-session terminal", comments: "#", quotes: []quote{doubles, {open: `'`, close: `'`, lines: true}},
		sigils: "$", letters: "-",
		keywords: "alias begin break case cd continue do done echo elif else end esac eval exec exit export false fi for function if in local not or and " +
			"read readonly return select set shift source sudo test then time trap true unset until while",
	},
	{
		names: "ps1 powershell pwsh", comments: "#", blocks: []quote{{open: "<#", close: "#>", lines: true}},
		quotes: []quote{{open: `"`, close: `"`, escape: '`', lines: true}, {open: `'`, close: `'`, lines: true}}, sigils: "$", letters: "-", ignore: true,
		keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach function if in param process " +
			"return switch throw trap try until using while -eq -ne -gt -ge -lt -le -like -match -not -and -or",
	},
	{
		names: "bat batch cmd", comments: "REM :: @REM rem", quotes: []quote{double}, sigils: "%", ignore: true,
		keywords: "call cd cls copy del do echo else endlocal errorlevel exist exit for goto if in not off on pause set setlocal shift start",
	},
	{
		names: "sql mysql postgres postgresql sqlite plsql", comments: "--", blocks: []quote{cBlock}, quotes: []quote{sqlText, double}, ignore: true,
		keywords: "add all alter and any as asc begin between bigint bool boolean by case cast char check column commit conflict constraint create cross " +
			"current_timestamp cursor database date decimal default delete desc distinct drop else end except exists explain false fetch float for " +
			"foreign from full function grant group having if ilike in index inner insert int integer intersect interval into is join key left like " +
			"limit materialized natural not null numeric offset on or order outer over partition primary procedure real references returning right " +
			"rollback row rows select set smallint table temporary text then timestamp to transaction trigger true truncate union unique update using " +
			"values varchar view when where window with",
	},
	{
		names: "dataview dql", comments: "//", quotes: []quote{double}, ignore: true, sigils: "#",
		keywords: "and asc ascending as by calendar contains desc descending flatten from group limit list or sort table task where without id",
	},
	{names: "json json5 jsonc jsonl ndjson geojson canvas", comments: "//", blocks: []quote{cBlock}, quotes: []quote{double, single}, keywords: "true false null", way: object},
	{names: "yaml yml frontmatter", comments: "#", quotes: []quote{double, sqlText}, keywords: "true false null yes no on off", sigils: "&*", way: keyed},
	{names: "toml", comments: "#", quotes: []quote{triple, triples, double, single}, keywords: "true false inf nan", way: keyed},
	{names: "ini cfg conf properties editorconfig dotenv env", comments: "# ;", quotes: []quote{double, single}, keywords: "true false yes no on off", way: keyed},
	{names: "html htm xml svg xhtml vue svelte astro rss plist", blocks: []quote{{open: "<!--", close: "-->", lines: true}}, letters: "-:.", way: markup},
	{
		names: "css scss sass less", comments: "//", blocks: []quote{cBlock}, quotes: []quote{double, single}, sigils: "@$#.", letters: "-",
		keywords: "important inherit initial unset none auto block flex grid inline absolute relative fixed sticky hidden visible solid transparent",
	},
	{names: "diff patch udiff", way: diff},
	{names: "md markdown mdx", way: prose},
	{
		names: "dockerfile docker containerfile", comments: "#", quotes: []quote{double, single}, sigils: "$",
		keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
	},
	{
		names: "make makefile mk", comments: "#", quotes: []quote{double, single}, sigils: "$.", letters: "-",
		keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override unexport",
	},
	{
		names: "nginx", comments: "#", quotes: []quote{double, single}, sigils: "$",
		keywords: "events http if include listen location map proxy_pass return rewrite root server server_name set ssl upstream worker_processes",
	},
	{
		names: "hcl terraform tf", comments: "# //", blocks: []quote{cBlock}, quotes: []quote{double},
		keywords: "data dynamic false for for_each if in locals module null output provider resource terraform true variable",
	},
	{
		names: "nix", comments: "#", blocks: []quote{cBlock}, quotes: []quote{doubles, {open: "''", close: "''", lines: true}}, letters: "-'",
		keywords: "assert builtins else false if import in inherit let null or rec then true with",
	},
	{
		names: "hs haskell purescript elm", comments: "--", blocks: []quote{{open: "{-", close: "-}", lines: true}}, quotes: []quote{double}, letters: "'",
		keywords: "as case class data default deriving do else exposing False forall foreign hiding if import in infix infixl infixr instance let module " +
			"newtype of port qualified then True type where",
	},
	{
		names: "ocaml ml fs fsharp f#", comments: "//", blocks: []quote{{open: "(*", close: "*)", lines: true}}, quotes: []quote{doubles}, letters: "'",
		keywords: "and as assert begin class constraint do done downto else end exception external false for fun function functor if in include inherit " +
			"initializer lazy let match member method module mutable namespace new object of open or private rec sig struct then to true try type use " +
			"val virtual when while with yield",
	},
	{
		names: "ex elixir exs", comments: "#", quotes: []quote{triple, doubles}, sigils: "@:", letters: "?!",
		keywords: "after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end false fn for if import in nil not " +
			"or quote raise receive require rescue true try unless unquote use when with",
	},
	{
		names: "erl erlang", comments: "%", quotes: []quote{doubles, single}, sigils: "-?",
		keywords: "after and andalso begin case catch cond div end fun if let not of or orelse receive rem try when xor",
	},
	{
		names: "clj clojure lisp scheme elisp racket el", comments: ";", quotes: []quote{doubles}, letters: "-?!*+<>=/", sigils: ":",
		keywords: "and begin case cond cons def define defmacro defmethod defn defun defvar do else fn for if in-ns lambda let let* letrec loop nil not ns or " +
			"quote recur require set! setq t throw true false try unless use when while",
	},
	{
		names: "r rlang", comments: "#", quotes: []quote{doubles, singles}, letters: ".",
		keywords: "break else FALSE for function if in Inf library NA NaN next NULL repeat return TRUE while",
	},
	{
		names: "julia jl", comments: "#", blocks: []quote{{open: "#=", close: "=#", lines: true}}, quotes: []quote{triple, double}, sigils: "@", letters: "!",
		keywords: "abstract baremodule begin break catch const continue do else elseif end export false finally for function global if import in let local " +
			"macro module mutable nothing primitive quote return struct true try type using where while",
	},
	{
		names: "tex latex", comments: "%", sigils: "\\", letters: "@*",
	},
	{
		names: "vim viml vimscript", comments: "\"", quotes: []quote{single}, sigils: "&$", letters: ":",
		keywords: "augroup autocmd call command echo else elseif endfor endfunction endif endwhile execute for function if in inoremap let map nmap " +
			"nnoremap noremap normal return set setlocal silent source syntax vnoremap while",
	},
	{
		names: "mermaid", comments: "%%", quotes: []quote{double}, letters: "-",
		keywords: "alt and class classDiagram end else erDiagram flowchart gantt gitGraph graph journey loop mindmap note opt over par participant pie rect " +
			"section sequenceDiagram stateDiagram stateDiagram-v2 subgraph timeline title TB TD BT LR RL",
	},
	{
		names: "graphql gql", comments: "#", quotes: []quote{triple, double}, sigils: "@$",
		keywords: "directive enum extend false fragment implements input interface mutation null on query scalar schema subscription true type union",
	},
	{
		names: "proto protobuf", comments: "//", blocks: []quote{cBlock}, quotes: []quote{double, single},
		keywords: "bool bytes double enum extend false fixed32 fixed64 float import int32 int64 map message oneof optional option package public repeated " +
			"required reserved returns rpc service stream string syntax true uint32 uint64",
	},
	{
		names: "asm nasm assembly s", comments: ";", quotes: []quote{double, single}, sigils: ".%$", ignore: true,
		keywords: "add and call cmp dec div global extern inc int je jmp jne jnz jz lea mov mul nop not or pop push ret section shl shr sub syscall test xor db " +
			"dw dd dq",
	},
	{
		names: "groovy gradle", comments: "//", blocks: []quote{cBlock}, quotes: []quote{triple, triples, double, single}, sigils: "@",
		keywords: "abstract as assert boolean break case catch class continue def default do else enum extends false final finally for if implements import " +
			"in instanceof int interface new null package private protected public return static super switch this throw throws true try void while",
	},
}
